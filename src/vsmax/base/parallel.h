// SPDX-License-Identifier: Apache-2.0
// Loops over independent items on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace vsmax {

// Calls body(item, worker) once for every item in [0, count), with worker in [0, threads). Which
// worker takes which item is not fixed, so results must not depend on it. An exception stops the
// loop and is rethrown here; if several items fail, that of the first. threads < 1 means one per
// processor; where the system refuses a thread, fewer do the work.
void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& body);

// The same for frequent loops: the threads sleep between loops, because starting them takes a tenth
// of a millisecond each time. One loop at a time: neither from another thread nor from within a
// body. After fork these threads do not exist in the child, and the caller does the work alone.
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
  // worker waits for the end of a step. If several items fail, any exception may be rethrown.
  void ring_steps(
      std::size_t steps, std::size_t count,
      const std::function<void(std::size_t step, std::size_t item, std::size_t worker)>& body);

 private:
  class Helpers;
  bool is_alone() const;

  int threads_;
  std::unique_ptr<Helpers> helpers_;  // null if there is only the caller
};

// The number of threads that parallel_for uses for `threads`.
int resolve_threads(int threads);

}  // namespace vsmax
