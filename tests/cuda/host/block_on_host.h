// SPDX-License-Identifier: Apache-2.0
// Internal to cuda_on_host.cpp: a block, whose threads are fibers.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "cuda_runtime.h"

namespace cuda_on_host {

constexpr std::size_t kStackBytes = 256 << 10;
constexpr std::size_t kSlotBytes = 64;
constexpr unsigned kWarp = 32;

inline Order order = Order::kUpwards;

// Whose turn it is.
inline std::size_t in_order(std::size_t turn, std::size_t count) {
  return order == Order::kUpwards ? turn : count - 1 - turn;
}

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

enum class State { kReady, kAtWarpBarrier, kAtBlockBarrier, kAtClusterBarrier, kDone };

// Where a fiber, or the scheduler, goes on.
struct Place {
  ucontext_t context{};
  jmp_buf jump{};
  bool was_left = false;
};

// The address sanitizer only knows the slower way, which costs a system call.
inline void leave(Place& from, Place& to) {
#if defined(VSMAX_SANITIZED)
  swapcontext(&from.context, &to.context);
#else
  from.was_left = true;
  if (_setjmp(from.jump) != 0) return;
  if (to.was_left) _longjmp(to.jump, 1);
  setcontext(&to.context);
#endif
}

// Serves a thread of one block after the other.
struct Fiber {
  Place place;
  std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  State state = State::kAtBlockBarrier;  // as if given up: it must be begun
  bool phase = false;                    // which of the warp's slots it uses
  bool waited = false;                   // for the previous kernel
  std::vector<Copy> uncommitted;
  std::vector<std::vector<Copy>> groups;
};

// Two sets of slots: a lane may publish its next value while others still read the last one.
struct Warp {
  alignas(16) std::array<std::array<std::array<std::byte, kSlotBytes>, kWarp>, 2> slots;
};

class Block;
inline Block* running = nullptr;

// A block of threads that take turns.
class Block {
 public:
  void begin(uint3 index, const std::function<void()>& thread, unsigned threads,
             std::size_t shared_bytes, bool early) {
    index_ = index;
    thread_ = &thread;
    while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
    warps_.resize((threads + kWarp - 1) / kWarp);
    shared_.resize(shared_bytes / sizeof(Aligned) + 1);
    spoil_shared();
    count_ = threads;
    for (unsigned i = 0; i < threads; ++i) {
      if (fibers_[i]->state != State::kDone) begin(*fibers_[i]);
      fibers_[i]->state = State::kReady;
      fibers_[i]->waited = !early;
      fibers_[i]->uncommitted.clear();
      fibers_[i]->groups.clear();
    }
  }

  // Lets all threads run until they have ended or are at a barrier of the cluster. Returns whether
  // they can.
  bool run() {
    running = this;
    blockIdx = index_;
    while (step()) {
    }
    if (in_state(State::kDone) == count_) spoil_shared();
    return in_state(State::kDone) + in_state(State::kAtClusterBarrier) == count_;
  }
  // Returns whether there is any thread there.
  bool open_cluster_barrier() { return open(State::kAtClusterBarrier, 0, count_); }
  // Whether a thread has not waited for the previous kernel.
  bool missed_previous() const {
    return std::any_of(fibers_.begin(), fibers_.begin() + count_,
                       [](const auto& fiber) { return !fiber->waited; });
  }

  std::byte* shared() { return shared_.front().bytes; }
  std::size_t shared_bytes() const { return shared_.size() * sizeof(Aligned); }
  Fiber& current() { return *fibers_[current_]; }
  Warp& warp() { return warps_[current_ / kWarp]; }

  void wait(State state) {
    current().state = state;
    leave(current().place, scheduler_);
  }

 private:
  struct alignas(1024) Aligned {
    std::byte bytes[1024];
  };

  static void enter();
  static void begin(Fiber& fiber) {
    fiber.place.was_left = false;
    ucontext_t& context = fiber.place.context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack.get();
    context.uc_stack.ss_size = kStackBytes;
    makecontext(&context, &Block::enter, 0);
  }

  void resume(unsigned i) {
    current_ = i;
    threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
    leave(scheduler_, fibers_[i]->place);
  }

  // Lets every thread run as far as it can. Returns whether there is more to do.
  bool step() {
    bool ran = false;
    for (unsigned k = 0; k < count_; ++k) {
      const unsigned i = static_cast<unsigned>(in_order(k, count_));
      if (fibers_[i]->state != State::kReady) continue;
      resume(i);
      ran = true;
      // The rest of its warp may go on at once.
      if (fibers_[i]->state == State::kAtWarpBarrier) open_warp_barrier(i / kWarp);
    }
    if (ran) return true;
    return in_state(State::kDone) + in_state(State::kAtBlockBarrier) == count_ &&
           open(State::kAtBlockBarrier, 0, count_);
  }

  unsigned in_state(State state) const {
    unsigned count = 0;
    for (unsigned i = 0; i < count_; ++i) count += fibers_[i]->state == state;
    return count;
  }
  bool open(State barrier, unsigned begin, unsigned end) {
    bool opened = false;
    for (unsigned i = begin; i < end; ++i) {
      if (fibers_[i]->state != barrier) continue;
      fibers_[i]->state = State::kReady;
      opened = true;
    }
    return opened;
  }
  void spoil_shared() { std::memset(shared(), 0xFF, shared_bytes()); }

  void open_warp_barrier(unsigned warp) {
    const unsigned begin = warp * kWarp;
    const unsigned end = std::min(begin + kWarp, count_);
    for (unsigned i = begin; i < end; ++i)
      if (fibers_[i]->state != State::kAtWarpBarrier) return;
    open(State::kAtWarpBarrier, begin, end);
  }

  const std::function<void()>* thread_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Warp> warps_;
  std::vector<Aligned> shared_;
  Place scheduler_;
  uint3 index_;
  unsigned count_ = 0;
  unsigned current_ = 0;
};

inline void Block::enter() {
  Block& own = *running;  // a fiber stays with its block
  while (true) {
    (*own.thread_)();
    own.wait(State::kDone);
  }
}

}  // namespace cuda_on_host
