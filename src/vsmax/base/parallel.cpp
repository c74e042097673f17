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

// What the threads of one loop share. Each of them works on a step until no item of it is left, and
// waits for the others: for a moment awake, since they end within an item's time of one another.
//
// Items lie in blocks, of which every worker has a first one: from step to step it then reads much
// of what it wrote itself. Where a worker's own block is done, it helps with the next.
class Steps {
 public:
  using Body = std::function<void(std::size_t, std::size_t, std::size_t)>;

  // body: outlives this.
  Steps(std::size_t steps, std::size_t count, std::size_t blocks, const Body& body)
      : steps_(steps),
        count_(count),
        blocks_(std::clamp<std::size_t>(blocks, 1, kMostBlocks)),
        body_(body) {}

  // By the thread that starts the others, once it is known how many there are.
  void set_workers(std::size_t workers) {
    workers_.store(workers, std::memory_order_release);
    workers_.notify_all();
  }

  void work(std::size_t worker) {
    workers_.wait(0, std::memory_order_acquire);
    for (std::size_t step = 0; step < steps_; ++step) {
      for (std::size_t turn = 0; turn < blocks_; ++turn)
        take_items(step, (worker + turn) % blocks_, worker);
      arrive(step);
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::size_t kMostBlocks = 16;
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Counter {  // lest workers of different blocks disturb one another
    std::atomic<std::size_t> taken{0};
  };

  void take_items(std::size_t step, std::size_t block, std::size_t worker) {
    const std::size_t begin = block * count_ / blocks_;
    const std::size_t size = (block + 1) * count_ / blocks_ - begin;
    for (std::size_t i = taken_[block].taken++; i < size && !failed_; i = taken_[block].taken++) {
      try {
        body_(step, begin + i, worker);
      } catch (...) {
        keep_failure(begin + i);
      }
    }
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

  // The last to arrive opens the next step.
  void arrive(std::size_t step) {
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      arrived_.store(0, std::memory_order_relaxed);
      for (Counter& block : taken_) block.taken.store(0, std::memory_order_relaxed);
      done_.store(step + 1, std::memory_order_release);
      done_.notify_all();
      return;
    }
    constexpr int kLooks = 20'000;
    for (int look = 0; look < kLooks; ++look)
      if (done_.load(std::memory_order_acquire) > step) return;
    while (done_.load(std::memory_order_acquire) <= step)
      done_.wait(step, std::memory_order_acquire);
  }

  Counter taken_[kMostBlocks];  // items of each block, in this step
  const std::size_t steps_;
  const std::size_t count_;
  const std::size_t blocks_;
  const Body& body_;
  std::atomic<std::size_t> workers_{0};  // 0 until it is known
  std::atomic<std::size_t> arrived_{0};  // at the end of the step
  std::atomic<std::size_t> done_{0};     // steps
  std::exception_ptr failure_;
  std::size_t failed_item_ = 0;
  std::mutex failure_mutex_;
  std::atomic<bool> failed_{false};
};

std::size_t workers_for(std::size_t count, int threads) {
  return std::min(static_cast<std::size_t>(resolve_threads(threads)),
                  std::max<std::size_t>(count, 1));
}

void run(Steps& shared, std::size_t workers) {
  std::vector<std::thread> others;
  others.reserve(workers - 1);
  try {
    for (std::size_t worker = 1; worker < workers; ++worker)
      others.emplace_back([&shared, worker] { shared.work(worker); });
  } catch (const std::exception&) {
    // The system has no room for another thread; those there are do the work.
  }
  shared.set_workers(others.size() + 1);
  shared.work(0);
  for (auto& thread : others) thread.join();
  shared.rethrow();
}

}  // namespace

void parallel_steps(std::size_t steps, std::size_t count, int threads,
                    const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
  const std::size_t workers = workers_for(count, threads);
  Steps shared(steps, count, workers, body);
  run(shared, workers);
}

void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const Steps::Body step = [&](std::size_t, std::size_t item, std::size_t worker) {
    body(item, worker);
  };
  // In one block, so that items are begun in their order.
  Steps shared(1, count, 1, step);
  run(shared, workers_for(count, threads));
}

}  // namespace vsmax
