// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace vsmax {

int resolve_threads(int threads) {
  if (threads >= 1) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

// How often a thread polls for another's progress before it yields or sleeps.
constexpr int kSpins = 20'000;

using Body = std::function<void(std::size_t, std::size_t, std::size_t)>;

// The state shared by the threads of one loop. Items are divided into blocks, and every worker
// starts each step with its own block, so that it mostly reads what it wrote itself. When its block
// is exhausted, it helps with the next one.
class Steps {
 public:
  // `body` must outlive this object.
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
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Counter {  // one per cache line, against false sharing
    std::atomic<std::size_t> items{0};
  };

  void take_items(std::size_t step, std::size_t block, std::size_t worker) {
    const std::size_t begin = block * count_ / blocks_;
    const std::size_t size = (block + 1) * count_ / blocks_ - begin;
    // The first item of a block is taken last: its neighbour belongs to another worker, which may
    // lag behind. A single block is taken in order.
    const std::size_t first = blocks_ > 1 ? 1 : 0;
    auto& taken = taken_[step * blocks_ + block].items;
    for (std::size_t i = taken++; i < size; i = taken++) {
      const std::size_t item = begin + (first + i) % size;
      if (is_cancelled(item) || (step > 0 && !await_ring(step, item))) return;
      try {
        body_(step, item, worker);
        if (steps_ > 1) steps_done_[item].store(step + 1, std::memory_order_release);
      } catch (...) {
        record_failure(item);
      }
    }
  }

  // Waits until the item and its neighbours have finished the previous step; false if an item
  // failed.
  bool await_ring(std::size_t step, std::size_t item) const {
    for (const std::size_t other : {item, (item + 1) % count_, (item + count_ - 1) % count_}) {
      for (int look = 0; steps_done_[other].load(std::memory_order_acquire) < step; ++look) {
        if (is_cancelled(item)) return false;
        if (look >= kSpins) std::this_thread::yield();
      }
    }
    return true;
  }

  // After a failure no more items are started, except that in a loop of one step the items before
  // the one that failed still run: one of them might fail too, and would be the one to report.
  bool is_cancelled(std::size_t item) const {
    const std::size_t failed = failed_item_.load(std::memory_order_relaxed);
    return steps_ > 1 ? failed != kNone : item > failed;
  }

  void record_failure(std::size_t item) {
    const std::lock_guard lock(failure_mutex_);
    if (item >= failed_item_) return;
    failure_ = std::current_exception();
    failed_item_ = item;
  }

  const std::size_t steps_;
  const std::size_t count_;
  const std::size_t blocks_;
  const Body& body_;
  std::vector<Counter> taken_;                        // items of each block in each step
  std::vector<std::atomic<std::size_t>> steps_done_;  // by each item
  std::exception_ptr failure_;
  std::atomic<std::size_t> failed_item_{kNone};
  std::mutex failure_mutex_;
};

void run_serially(std::size_t steps, std::size_t count, const Body& body) {
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t item = 0; item < count; ++item) body(step, item, 0);
}

// The number of forks between the first process and this one. Comparing process ids is not enough:
// in a new PID namespace, a child may have the same id as its parent.
std::size_t forks_so_far() {
  static std::atomic<std::size_t> forks{0};
  [[maybe_unused]] static const int counted = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  return forks;
}

}  // namespace

// The threads of a pool, except the caller's.
class ThreadPool::Helpers {
 public:
  explicit Helpers(std::size_t count) {
    threads_.reserve(count);
    try {
      for (std::size_t worker = 1; worker <= count; ++worker)
        threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::exception&) {
      // The system refused another thread; those that started do the work.
    }
  }

  ~Helpers() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    begin_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // False in a forked child, where these threads do not exist.
  bool exist() const { return forks_ == forks_so_far(); }

  // Returns once no thread is working on the loop. A thread that wakes up later finds no loop.
  void work_on(Steps& loop) {
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      ++loops_;
    }
    begin_.notify_all();
    loop.work(0);
    {
      const std::lock_guard lock(mutex_);
      loop_ = nullptr;
    }
    for (int look = 0; look < kSpins && working_ != 0; ++look) continue;
    for (std::size_t count = working_; count != 0; count = working_) working_.wait(count);
  }

 private:
  void serve(std::size_t worker) {
    std::unique_lock lock(mutex_);
    for (std::size_t seen = 0;;) {
      begin_.wait(lock, [&] { return stopping_ || loops_ != seen; });
      if (stopping_) return;
      seen = loops_;
      if (loop_ == nullptr) continue;
      Steps& loop = *loop_;
      ++working_;
      lock.unlock();
      loop.work(worker);
      if (--working_ == 0) working_.notify_one();
      lock.lock();
    }
  }

  const std::size_t forks_ = forks_so_far();
  std::mutex mutex_;
  std::condition_variable begin_;
  Steps* loop_ = nullptr;
  std::size_t loops_ = 0;  // started so far
  bool stopping_ = false;
  std::atomic<std::size_t> working_{0};
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(int threads) : threads_(resolve_threads(threads)) {
  if (threads_ > 1) helpers_ = std::make_unique<Helpers>(static_cast<std::size_t>(threads_) - 1);
}

ThreadPool::~ThreadPool() {
  // After fork these threads do not exist; joining them would never return.
  if (helpers_ && !helpers_->exist()) static_cast<void>(helpers_.release());
}

bool ThreadPool::is_alone() const { return !helpers_ || !helpers_->exist(); }

void ThreadPool::for_each(std::size_t count,
                          const std::function<void(std::size_t, std::size_t)>& body) {
  const Body step = [&](std::size_t, std::size_t item, std::size_t worker) { body(item, worker); };
  if (is_alone() || count <= 1) return run_serially(1, count, step);
  // One block, so that items are started in order.
  Steps loop(1, count, 1, step);
  helpers_->work_on(loop);
  loop.rethrow();
}

void ThreadPool::ring_steps(std::size_t steps, std::size_t count, const Body& body) {
  if (is_alone() || count <= 1) return run_serially(steps, count, body);
  Steps loop(steps, count, std::min(count, static_cast<std::size_t>(threads_)), body);
  helpers_->work_on(loop);
  loop.rethrow();
}

void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t most = std::max<std::size_t>(count, 1);
  const auto workers = std::min(most, static_cast<std::size_t>(resolve_threads(threads)));
  ThreadPool(static_cast<int>(workers)).for_each(count, body);
}

}  // namespace vsmax
