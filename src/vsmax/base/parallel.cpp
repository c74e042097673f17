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

namespace {

using Body = std::function<void(std::size_t, std::size_t, std::size_t)>;

// What the threads of one loop share. They take items in blocks, of which every worker has a first
// one: from step to step it then reads much of what it wrote itself. Where a worker's own block is
// taken, it helps with the next.
class Steps {
 public:
  // body: outlives this.
  Steps(std::size_t steps, std::size_t count, std::size_t blocks, const Body& body)
      : steps_(steps),
        count_(count),
        blocks_(blocks),
        body_(body),
        taken_(steps * blocks),
        steps_done_(steps > 1 ? count : 0) {}

  void work(std::size_t worker) {
    for (std::size_t step = 0; step < steps_; ++step)
      for (std::size_t turn = 0; turn < blocks_; ++turn)
        take_items(step, (worker + turn) % blocks_, worker);
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Counter {  // lest workers of different blocks disturb one another
    std::atomic<std::size_t> items{0};
  };

  void take_items(std::size_t step, std::size_t block, std::size_t worker) {
    const std::size_t begin = block * count_ / blocks_;
    const std::size_t size = (block + 1) * count_ / blocks_ - begin;
    // The first item of a block comes last: its neighbour belongs to another worker, which may be
    // behind. A single block keeps its order.
    const std::size_t first = blocks_ > 1 ? 1 : 0;
    auto& taken = taken_[step * blocks_ + block].items;
    for (std::size_t i = taken++; i < size && !failed_; i = taken++) {
      const std::size_t item = begin + (first + i) % size;
      if (step > 0 && !await_ring(step, item)) return;
      try {
        body_(step, item, worker);
      } catch (...) {
        keep_failure(item);
      }
      if (steps_ > 1) steps_done_[item].store(step + 1, std::memory_order_release);
    }
  }

  // Whether the item and its neighbours are done with the step before; not if an item failed. Who
  // is waited for is at work, having begun before: it is looked for, awake.
  bool await_ring(std::size_t step, std::size_t item) const {
    for (const std::size_t other : {item, (item + 1) % count_, (item + count_ - 1) % count_}) {
      constexpr int kLooks = 20'000;
      for (int look = 0; steps_done_[other].load(std::memory_order_acquire) < step; ++look) {
        if (failed_) return false;
        if (look >= kLooks) std::this_thread::yield();
      }
    }
    return true;
  }

  // Of several items that fail at the same time the first counts, whichever was faster.
  void keep_failure(std::size_t item) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_ || item < failed_item_) {
      failure_ = std::current_exception();
      failed_item_ = item;
    }
    failed_ = true;
  }

  const std::size_t steps_;
  const std::size_t count_;
  const std::size_t blocks_;
  const Body& body_;
  std::vector<Counter> taken_;                        // of each block in each step
  std::vector<std::atomic<std::size_t>> steps_done_;  // by each item
  std::exception_ptr failure_;
  std::size_t failed_item_ = 0;
  std::mutex failure_mutex_;
  std::atomic<bool> failed_{false};
};

std::size_t workers_for(std::size_t count, int threads) {
  return std::min(static_cast<std::size_t>(resolve_threads(threads)), count);
}

void run(std::size_t steps, std::size_t count, std::size_t workers, std::size_t blocks,
         const Body& body) {
  if (workers <= 1) {
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t item = 0; item < count; ++item) body(step, item, 0);
    return;
  }
  Steps shared(steps, count, blocks, body);
  std::vector<std::thread> others;
  others.reserve(workers - 1);
  try {
    for (std::size_t worker = 1; worker < workers; ++worker)
      others.emplace_back([&shared, worker] { shared.work(worker); });
  } catch (const std::exception&) {
    // The system has no room for another thread; those there are do the work.
  }
  shared.work(0);
  for (auto& thread : others) thread.join();
  shared.rethrow();
}

}  // namespace

void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const auto step = [&](std::size_t, std::size_t item, std::size_t worker) { body(item, worker); };
  // In one block, so that items are begun in their order.
  run(1, count, workers_for(count, threads), 1, step);
}

void parallel_ring_steps(std::size_t steps, std::size_t count, int threads,
                         const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
  const std::size_t workers = workers_for(count, threads);
  run(steps, count, workers, workers, body);
}

}  // namespace vsmax
