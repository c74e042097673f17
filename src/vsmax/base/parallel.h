// SPDX-License-Identifier: Apache-2.0
// Loops over independent items on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace vsmax {

// Calls body(item, worker) once for every item in [0, count), with worker in [0, threads). Which
// worker takes which item is not fixed, so results must not depend on it. An exception stops the
// loop and is rethrown here; if several items fail, that of the first of them. threads < 1 means
// one per processor; if the system refuses to start a thread, the others do the work.
void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& body);

// The same for frequent loops: the threads sleep between loops, because starting them takes a tenth
// of a millisecond each time. Only one loop may run at a time: do not start another one from a
// second thread or from a body. After fork, the child has none of these threads, and its calling
// thread does all the work.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }  // as requested, including the caller's

  void for_each(std::size_t count,
                const std::function<void(std::size_t item, std::size_t worker)>& body);

  // Steps over a ring of items, where an item depends on itself and its two neighbours in the
  // previous step: body(step, item, worker) is called once those three have finished that step. No
  // worker waits for the end of a step. If several items fail, any of their exceptions is rethrown.
  void ring_steps(
      std::size_t steps, std::size_t count,
      const std::function<void(std::size_t step, std::size_t item, std::size_t worker)>& body);

 private:
  class Helpers;
  bool is_alone() const;

  int threads_;
  std::unique_ptr<Helpers> helpers_;  // null if the caller is the only thread
};

// The number of threads that parallel_for uses for `threads`.
int resolve_threads(int threads);

}  // namespace vsmax
