// SPDX-License-Identifier: Apache-2.0
// Launches kernels without the <<< >>> syntax, which only nvcc understands: the tests also compile
// the kernels as C++ (tests/cuda/host). Only for .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace vsmax {

struct LaunchShape {
  dim3 blocks;
  dim3 threads;
  cudaStream_t stream = nullptr;
  std::size_t shared_bytes = 0;  // dynamic
};

template <class... Parameters, class... Arguments>
cudaError_t launch(const LaunchShape& shape, void (*kernel)(Parameters...),
                   Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
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
