// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace vsmax {

int resolve_threads(int threads) {
  if (threads >= 1) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t workers =
      std::min(static_cast<std::size_t>(resolve_threads(threads)), std::max<std::size_t>(count, 1));
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t item = next++; item < count; item = next++) body(item, worker);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(workers - 1);
  try {
    for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
  } catch (const std::exception&) {
    // The system has no room for another thread; those there are do the work.
  }
  work(0);
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vsmax
