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
  unsigned blocks_per_cluster = 1;  // successive ones along z (cuda_cluster.h)
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

// Whether the code that the device runs was compiled for Hopper or newer.
template <class... Parameters>
cudaError_t is_built_for_hopper(void (*kernel)(Parameters...), bool* is) {
  constexpr int kHopper = 90;
  cudaFuncAttributes code{};
  const auto status = cudaFuncGetAttributes(&code, kernel);
  *is = status == cudaSuccess && code.ptxVersion >= kHopper;
  return status;
}

// A shape as the runtime wants it.
class LaunchConfig {
 public:
  explicit LaunchConfig(const LaunchShape& shape) {
    config_.gridDim = shape.blocks;
    config_.blockDim = shape.threads;
    config_.dynamicSmemBytes = shape.shared_bytes;
    config_.stream = shape.stream;
    if (shape.blocks_per_cluster == 1) return;
    cudaLaunchAttribute& cluster = add(cudaLaunchAttributeClusterDimension);
    cluster.val.clusterDim.x = 1;
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = shape.blocks_per_cluster;
  }

  void start_early() {
    add(cudaLaunchAttributeProgrammaticStreamSerialization)
        .val.programmaticStreamSerializationAllowed = 1;
  }
  const cudaLaunchConfig_t* get() {
    config_.attrs = attributes_;
    return &config_;
  }

 private:
  cudaLaunchAttribute& add(cudaLaunchAttributeID id) {
    cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
    attribute.id = id;
    return attribute;
  }

  cudaLaunchAttribute attributes_[2]{};
  cudaLaunchConfig_t config_{};
};

template <class... Parameters, class... Arguments>
cudaError_t launch(const LaunchShape& shape, void (*kernel)(Parameters...),
                   Arguments&&... arguments) {
  LaunchConfig config(shape);
  if (shape.start == Start::kEarly) {
    // Code for older GPUs does not wait, even when it runs on a newer one.
    bool waits = false;
    if (const auto status = is_built_for_hopper(kernel, &waits); status != cudaSuccess)
      return status;
    if (waits) config.start_early();
  }
  return cudaLaunchKernelEx(config.get(), kernel, std::forward<Arguments>(arguments)...);
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
