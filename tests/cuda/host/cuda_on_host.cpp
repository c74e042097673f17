// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_runtime.h"
#include "guarded_memory.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_on_host {

struct Graph {
  std::vector<std::function<void()>> work;
};
struct Stream {
  std::unique_ptr<Graph> capture;
};

namespace {

constexpr std::size_t kStackBytes = 256 << 10;
constexpr std::size_t kSlotBytes = 64;
constexpr std::size_t kUsualSharedBytes = 48 << 10;
constexpr std::size_t kMostSharedBytes = 227 << 10;
constexpr unsigned kWarp = 32;

std::mutex one_at_a_time;  // whatever threads launch
Order order = Order::kUpwards;
bool divergent = false;
bool impatient = false;

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

enum class State { kReady, kAtBlockBarrier, kAtWarpBarrier, kDone };

// Where a fiber, or the scheduler, goes on.
struct Place {
  ucontext_t context{};
  jmp_buf jump{};
  bool was_left = false;
};

// The address sanitizer only knows the slower way, which costs a system call.
void leave(Place& from, Place& to) {
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
  std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(kStackBytes);
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

class Block {
 public:
  void run(const std::function<void()>& thread, unsigned threads, std::size_t shared_bytes,
           bool early) {
    thread_ = &thread;
    while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
    warps_.resize((threads + kWarp - 1) / kWarp);
    shared_.assign(shared_bytes / sizeof(Aligned) + 1, Aligned{});
    std::memset(shared_.data(), 0xFF, shared_.size() * sizeof(Aligned));
    count_ = threads;
    for (unsigned i = 0; i < threads; ++i) {
      if (fibers_[i]->state != State::kDone) begin(*fibers_[i]);
      fibers_[i]->state = State::kReady;
      fibers_[i]->waited = !early;
      fibers_[i]->uncommitted.clear();
      fibers_[i]->groups.clear();
    }
    while (step()) {
    }
    for (unsigned i = 0; i < threads; ++i) impatient = impatient || !fibers_[i]->waited;
  }

  void* shared() { return shared_.data(); }
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
      const unsigned i = order == Order::kUpwards ? k : count_ - 1 - k;
      if (fibers_[i]->state != State::kReady) continue;
      resume(i);
      ran = true;
      // The rest of its warp may go on at once.
      if (fibers_[i]->state == State::kAtWarpBarrier) open_warp_barrier(i / kWarp);
    }
    if (ran) return true;
    unsigned done = 0;
    unsigned waiting = 0;
    for (unsigned i = 0; i < count_; ++i) {
      done += fibers_[i]->state == State::kDone;
      waiting += fibers_[i]->state == State::kAtBlockBarrier;
    }
    if (done == count_) return false;
    if (done + waiting != count_) {
      divergent = true;
      return false;
    }
    for (unsigned i = 0; i < count_; ++i)
      if (fibers_[i]->state == State::kAtBlockBarrier) fibers_[i]->state = State::kReady;
    return true;
  }

  void open_warp_barrier(unsigned warp) {
    const unsigned begin = warp * kWarp;
    const unsigned end = std::min(begin + kWarp, count_);
    for (unsigned i = begin; i < end; ++i)
      if (fibers_[i]->state != State::kAtWarpBarrier) return;
    for (unsigned i = begin; i < end; ++i) fibers_[i]->state = State::kReady;
  }

  const std::function<void()>* thread_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Warp> warps_;
  std::vector<Aligned> shared_;
  Place scheduler_;
  unsigned count_ = 0;
  unsigned current_ = 0;
};

Block block;

void Block::enter() {
  while (true) {
    (*block.thread_)();
    block.wait(State::kDone);
  }
}

std::map<const void*, std::size_t>& allowed_shared_memory() {
  static std::map<const void*, std::size_t> allowed;
  return allowed;
}

GuardedMemory& device_memory() {
  static auto* const memory = new GuardedMemory;  // outlives all that it gives out
  return *memory;
}

void perform(std::vector<Copy>& copies) {
  for (const Copy& copy : copies) std::memcpy(copy.to, copy.from, copy.bytes);
  copies.clear();
}

cudaError_t put_on(cudaStream_t stream, std::function<void()> work) {
  if (stream != nullptr && stream->capture) {
    stream->capture->work.push_back(std::move(work));
    return cudaSuccess;
  }
  const std::lock_guard lock(one_at_a_time);
  work();
  return cudaSuccess;
}

}  // namespace

void set_order(Order wanted) { order = wanted; }
bool took_divergent_barrier() { return std::exchange(divergent, false); }
bool missed_previous_kernel() { return std::exchange(impatient, false); }

cudaError_t allow_shared_memory(const void* kernel, int bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  std::size_t& allowed = allowed_shared_memory()[kernel];
  // The limit is that of all threads: if one lowered it, another's launch could fail.
  if (wanted > kMostSharedBytes || wanted < allowed) return cudaErrorInvalidValue;
  allowed = wanted;
  return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel,
                   std::function<void()> thread) {
  const dim3 blocks = config.gridDim;
  const dim3 threads = config.blockDim;
  const unsigned count = threads.x * threads.y * threads.z;
  const auto allowed = allowed_shared_memory().find(kernel);
  const std::size_t most =
      std::max(kUsualSharedBytes, allowed == allowed_shared_memory().end() ? 0 : allowed->second);
  if (count == 0 || count > 1024 || blocks.x == 0 || blocks.y == 0 || blocks.z == 0 ||
      blocks.x > 0x7FFFFFFFU || blocks.y > 0xFFFFU || blocks.z > 0xFFFFU ||
      config.dynamicSmemBytes > most)
    return cudaErrorInvalidConfiguration;
  return put_on(config.stream, [=, bytes = config.dynamicSmemBytes, early = config.numAttrs > 0] {
    gridDim = blocks;
    blockDim = threads;
    const std::size_t all = static_cast<std::size_t>(blocks.x) * blocks.y * blocks.z;
    for (std::size_t k = 0; k < all; ++k) {
      const std::size_t i = order == Order::kUpwards ? k : all - 1 - k;
      blockIdx = {static_cast<unsigned>(i % blocks.x),
                  static_cast<unsigned>(i / blocks.x % blocks.y),
                  static_cast<unsigned>(i / blocks.x / blocks.y)};
      block.run(thread, count, bytes, early);
    }
  });
}

void* dynamic_shared_memory() { return block.shared(); }
void wait_for_block() { block.wait(State::kAtBlockBarrier); }
void wait_for_warp() { block.wait(State::kAtWarpBarrier); }
void wait_for_previous() { block.current().waited = true; }
void let_next_start() { impatient = impatient || !block.current().waited; }

void publish_in_warp(const void* value, std::size_t bytes) {
  Fiber& fiber = block.current();
  fiber.phase = !fiber.phase;
  if (bytes > kSlotBytes) std::abort();
  std::memcpy(warp_slot(threadIdx.x % kWarp), value, bytes);
  wait_for_warp();
}

void* warp_slot(unsigned lane) { return block.warp().slots[block.current().phase][lane].data(); }

void copy_later(void* to, const void* from, std::size_t bytes) {
  block.current().uncommitted.push_back({to, from, bytes});
}

void commit_copies() {
  Fiber& fiber = block.current();
  fiber.groups.push_back(std::exchange(fiber.uncommitted, {}));
}

void wait_for_copies(int groups_left) {
  auto& groups = block.current().groups;
  while (groups.size() > static_cast<std::size_t>(groups_left)) {
    perform(groups.front());
    groups.erase(groups.begin());
  }
}

}  // namespace cuda_on_host

using cuda_on_host::Graph;
using cuda_on_host::Stream;

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
  }
  return "unknown error";
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = 66;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(cuda_on_host::kMostSharedBytes);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(cuda_on_host::kMostSharedBytes) + 1024;
      break;
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = cuda_on_host::device_memory().allocate(bytes);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (memory != nullptr) cuda_on_host::device_memory().free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return cuda_on_host::put_on(stream, [=] { std::memcpy(to, from, bytes); });
}

cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  return cuda_on_host::put_on(stream, [=] { std::memset(to, byte, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new Stream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || stream->capture) return cudaErrorInvalidValue;
  stream->capture = std::make_unique<Graph>();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (stream == nullptr || !stream->capture) return cudaErrorInvalidValue;
  *graph = stream->capture.release();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  *exec = graph;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
  const std::lock_guard lock(cuda_on_host::one_at_a_time);
  for (const auto& work : exec->work) work();
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}
