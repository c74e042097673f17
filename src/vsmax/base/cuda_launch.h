// SPDX-License-Identifier: Apache-2.0
// Launches kernels without the <<< >>> syntax, which only nvcc understands: the tests also compile
// the kernels as C++ (tests/cuda/host). Only for .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace vsmax {

// When a kernel may start: kEarly, as soon as all blocks of the stream's previous kernel have
// called let_next_start() or ended. Such a kernel must call wait_for_previous() before it writes
// anything, or reads what the previous kernel writes. What was written before that one, it may read
// at once. From Hopper on; elsewhere it makes no difference.
enum class Start { kAfterPrevious, kEarly };

struct LaunchShape {
  dim3 blocks;
  dim3 threads;
  cudaStream_t stream = nullptr;
  std::size_t shared_bytes = 0;  // dynamic
  Start start = Start::kAfterPrevious;
};

// Waits until the previous kernel has ended and its results are visible.
__device__ inline void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#elif !defined(__CUDACC__)
  cuda_on_host::wait_for_previous();
#endif
}
// In a kernel that starts early itself, only after wait_for_previous(): all earlier kernels have
// then ended before the next one starts.
__device__ inline void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#elif !defined(__CUDACC__)
  cuda_on_host::let_next_start();
#endif
}

template <class... Parameters, class... Arguments>
cudaError_t launch(const LaunchShape& shape, void (*kernel)(Parameters...),
                   Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute early{};
  if (shape.start == Start::kEarly) {
    // Code for older GPUs does not wait, even when it runs on a newer one.
    constexpr int kWaits = 90;
    cudaFuncAttributes code{};
    if (const auto status = cudaFuncGetAttributes(&code, kernel); status != cudaSuccess)
      return status;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &early;
    config.numAttrs = code.ptxVersion >= kWaits ? 1 : 0;
  }
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = shape.stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

// The number of blocks of `size` items that hold `count` items.
template <class Count>
constexpr unsigned blocks_for(Count count, Count size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

// A block's dynamic shared memory, aligned for 16-byte accesses.
template <class Value>
__device__ Value* dynamic_shared() {
#if defined(__CUDACC__)
  extern __shared__ uint4 dynamic_shared_memory[];
  return reinterpret_cast<Value*>(dynamic_shared_memory);
#else
  return static_cast<Value*>(cuda_on_host::dynamic_shared_memory());
#endif
}

}  // namespace vsmax
