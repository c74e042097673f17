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

// Looks at what another thread is about to finish, before this one yields or sleeps.
constexpr int kSpins = 20'000;

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
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
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
    for (std::size_t i = taken++; i < size; i = taken++) {
      const std::size_t item = begin + (first + i) % size;
      if (is_given_up(item) || (step > 0 && !await_ring(step, item))) return;
      try {
        body_(step, item, worker);
        if (steps_ > 1) steps_done_[item].store(step + 1, std::memory_order_release);
      } catch (...) {
        keep_failure(item);
      }
    }
  }

  // Whether the item and its neighbours are done with the step before; not if an item failed.
  bool await_ring(std::size_t step, std::size_t item) const {
    for (const std::size_t other : {item, (item + 1) % count_, (item + count_ - 1) % count_}) {
      for (int look = 0; steps_done_[other].load(std::memory_order_acquire) < step; ++look) {
        if (is_given_up(item)) return false;
        if (look >= kSpins) std::this_thread::yield();
      }
    }
    return true;
  }

  // After a failure no item is begun. But where there is one step, of those that were taken in
  // their order any before the item that failed: it might fail as well, and would be the first.
  bool is_given_up(std::size_t item) const {
    const std::size_t failed = failed_item_.load(std::memory_order_relaxed);
    return steps_ > 1 ? failed != kNone : item > failed;
  }

  void keep_failure(std::size_t item) {
    const std::lock_guard lock(failure_mutex_);
    if (item >= failed_item_) return;
    failure_ = std::current_exception();
    failed_item_ = item;
  }

  const std::size_t steps_;
  const std::size_t count_;
  const std::size_t blocks_;
  const Body& body_;
  std::vector<Counter> taken_;                        // of each block in each step
  std::vector<std::atomic<std::size_t>> steps_done_;  // by each item
  std::exception_ptr failure_;
  std::atomic<std::size_t> failed_item_{kNone};
  std::mutex failure_mutex_;
};

void loop_alone(std::size_t steps, std::size_t count, const Body& body) {
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t item = 0; item < count; ++item) body(step, item, 0);
}

// How many forks lead from the first process to this one. Process numbers would not tell: in a
// namespace of its own a child may have its parent's.
std::size_t forks_so_far() {
  static std::atomic<std::size_t> forks{0};
  [[maybe_unused]] static const int counted = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  return forks;
}

}  // namespace

// The threads of a crew but the caller's.
class Crew::Helpers {
 public:
  explicit Helpers(std::size_t count) {
    threads_.reserve(count);
    try {
      for (std::size_t worker = 1; worker <= count; ++worker)
        threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::exception&) {
      // The system has no room for another thread; those there are do the work.
    }
  }

  ~Helpers() {
    {
      const std::lock_guard lock(mutex_);
      dismissed_ = true;
    }
    begin_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  Helpers(Helpers&&) = delete;
  Helpers& operator=(Helpers&&) = delete;

  // Not in a process that was forked off.
  bool are_here() const { return forks_ == forks_so_far(); }

  // Returns when nobody works on it any more. Who wakes up too late finds nothing to do.
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
    for (int look = 0; look < kSpins && at_work_ != 0; ++look) continue;
    for (std::size_t count = at_work_; count != 0; count = at_work_) at_work_.wait(count);
  }

 private:
  void serve(std::size_t worker) {
    std::unique_lock lock(mutex_);
    for (std::size_t seen = 0;;) {
      begin_.wait(lock, [&] { return dismissed_ || loops_ != seen; });
      if (dismissed_) return;
      seen = loops_;
      if (loop_ == nullptr) continue;
      Steps& loop = *loop_;
      ++at_work_;
      lock.unlock();
      loop.work(worker);
      if (--at_work_ == 0) at_work_.notify_one();
      lock.lock();
    }
  }

  const std::size_t forks_ = forks_so_far();
  std::mutex mutex_;
  std::condition_variable begin_;
  Steps* loop_ = nullptr;
  std::size_t loops_ = 0;  // begun so far
  bool dismissed_ = false;
  std::atomic<std::size_t> at_work_{0};
  std::vector<std::thread> threads_;
};

Crew::Crew(int threads) : threads_(resolve_threads(threads)) {
  if (threads_ > 1) others_ = std::make_unique<Helpers>(static_cast<std::size_t>(threads_) - 1);
}

Crew::~Crew() {
  // Those who are not here may hold locks, and are waited for in vain.
  if (others_ && !others_->are_here()) static_cast<void>(others_.release());
}

bool Crew::is_alone() const { return !others_ || !others_->are_here(); }

void Crew::for_each(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  const Body step = [&](std::size_t, std::size_t item, std::size_t worker) { body(item, worker); };
  if (is_alone() || count <= 1) return loop_alone(1, count, step);
  // In one block, so that items are begun in their order.
  Steps loop(1, count, 1, step);
  others_->work_on(loop);
  loop.rethrow();
}

void Crew::ring_steps(std::size_t steps, std::size_t count, const Body& body) {
  if (is_alone() || count <= 1) return loop_alone(steps, count, body);
  Steps loop(steps, count, std::min(count, static_cast<std::size_t>(threads_)), body);
  others_->work_on(loop);
  loop.rethrow();
}

void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t most = std::max<std::size_t>(count, 1);
  const auto workers = std::min(most, static_cast<std::size_t>(resolve_threads(threads)));
  Crew(static_cast<int>(workers)).for_each(count, body);
}

}  // namespace vsmax
