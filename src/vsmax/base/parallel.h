// SPDX-License-Identifier: Apache-2.0
// Loops over independent items on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace vsmax {

// Calls body(item, worker) once for every item in [0, count), worker in [0, threads). Which worker
// takes which item is not fixed, so results must not depend on it. An exception stops the
// loop and is thrown again here, that of the first item if several fail. threads < 1 means one per
// processor; where the system refuses a thread, fewer do the work.
void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& body);

// The same for loops that come often: the threads stay, asleep from one loop to the next, where
// starting them would take a tenth of a millisecond each time. One loop at a time: none from
// another thread, none from within a body. In a process that was forked off the threads are
// missing, and the caller does the work alone.
class Crew {
 public:
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  Crew(Crew&&) = delete;
  Crew& operator=(Crew&&) = delete;

  int threads() const { return threads_; }  // that were asked for, the caller's own among them

  void for_each(std::size_t count,
                const std::function<void(std::size_t item, std::size_t worker)>& body);

  // Steps over a ring of items, where an item needs what it and its two neighbours were in the step
  // before: body(step, item, worker) is called once these three are done with that step. No worker
  // waits for the end of a step. Of several exceptions any may be thrown again.
  void ring_steps(
      std::size_t steps, std::size_t count,
      const std::function<void(std::size_t step, std::size_t item, std::size_t worker)>& body);

 private:
  class Helpers;
  bool is_alone() const;

  int threads_;
  std::unique_ptr<Helpers> others_;  // null: there is only the caller
};

// The number of threads that parallel_for uses for `threads`.
int resolve_threads(int threads);

}  // namespace vsmax
