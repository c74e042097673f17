// SPDX-License-Identifier: Apache-2.0
// The language of kernels, as C++. Included before every .cu file.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static  // blocks run one after the other; not for the blocks of a cluster
#define __launch_bounds__(...)

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

template <class A, class B>
std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}

inline void __syncthreads() { cuda_on_host::wait_for_block(); }
inline void __syncwarp(unsigned = ~0U) { cuda_on_host::wait_for_warp(); }

// Only whole warps may exchange values here.
template <class Value>
Value __shfl_sync(unsigned, Value value, int lane) {
  cuda_on_host::publish_in_warp(&value, sizeof(value));
  return *static_cast<const Value*>(cuda_on_host::warp_slot(static_cast<unsigned>(lane) % 32));
}
template <class Value>
Value __shfl_xor_sync(unsigned mask, Value value, int lanes) {
  return __shfl_sync(mask, value, static_cast<int>(threadIdx.x % 32) ^ lanes);
}
template <class Value>
Value __shfl_up_sync(unsigned mask, Value value, unsigned lanes) {
  const auto lane = threadIdx.x % 32;
  return __shfl_sync(mask, value, static_cast<int>(lane < lanes ? lane : lane - lanes));
}
template <class Value>
Value __shfl_down_sync(unsigned mask, Value value, unsigned lanes) {
  const auto lane = threadIdx.x % 32;
  return __shfl_sync(mask, value, static_cast<int>(lane + lanes < 32 ? lane + lanes : lane));
}

inline unsigned __ballot_sync(unsigned mask, bool predicate) {
  unsigned lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    lanes |= (__shfl_sync(mask, predicate, lane) ? 1U : 0U) << lane;
  return lanes;
}
inline int __popc(unsigned bits) { return std::popcount(bits); }

inline void __threadfence() {}
inline unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned before = *to;
  *to += value;
  return before;
}

template <class Value>
Value __ldg(const Value* address) {
  return *address;
}
inline float __expf(float x) { return std::exp(x); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
