// SPDX-License-Identifier: Apache-2.0
// Clusters: blocks that run at the same time and read each other's shared memory. From Hopper on;
// where clusters_at_once() finds none, these functions must not be called. Only for .cu files.
#pragma once

#include <bit>

#include "vsmax/base/cuda_launch.h"

namespace vsmax {

// How many clusters the device can run at a time, 0 if it cannot run any. Code for older GPUs
// cannot, even when it runs on a newer one.
template <class... Parameters>
cudaError_t clusters_at_once(const LaunchShape& shape, void (*kernel)(Parameters...), int* count) {
  *count = 0;
  bool is_for_hopper = false;
  if (const auto status = is_built_for_hopper(kernel, &is_for_hopper);
      status != cudaSuccess || !is_for_hopper)
    return status;
  LaunchConfig config(shape);
  if (cudaOccupancyMaxActiveClusters(count, kernel, config.get()) == cudaSuccess)
    return cudaSuccess;
  *count = 0;  // a part of a GPU may be too small for a cluster
  cudaGetLastError();
  return cudaSuccess;
}

// Waits for all threads of the cluster. They then see what any of them has written to shared
// memory. Before a block may end, the others must have read what they need of its shared memory.
__device__ inline void sync_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#elif !defined(__CUDACC__)
  cuda_on_host::wait_for_cluster();
#endif
}

// The value that the cluster's `block` has where this block has `shared`.
template <class Value>
__device__ Value load_of_block([[maybe_unused]] const Value* shared,
                               [[maybe_unused]] unsigned block) {
  static_assert(sizeof(Value) == 4);
#if defined(__CUDACC__)
  unsigned bits = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const auto own = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile(
      "{\n"
      ".reg .u32 place;\n"
      "mapa.shared::cluster.u32 place, %1, %2;\n"
      "ld.shared::cluster.u32 %0, [place];\n"
      "}"
      : "=r"(bits)
      : "r"(own), "r"(block)
      : "memory");
#endif
  return std::bit_cast<Value>(bits);
#else
  return *static_cast<const Value*>(cuda_on_host::shared_of_block(shared, block));
#endif
}

}  // namespace vsmax
