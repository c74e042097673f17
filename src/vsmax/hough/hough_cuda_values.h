// SPDX-License-Identifier: Apache-2.0
// Internal: what both transforms on CUDA share. Sums are wider than bytes and bfloat16.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace vsmax {

inline constexpr int kKinds = 4;  // of mirror images
// What a block may have on every device from Ampere on. Not the device's own limit: results would
// depend on it.
inline constexpr std::size_t kMostSharedBytes = 99 * 1024;
// Of the kernels for grids without a table.
inline constexpr int kDirectThreads = 256;

template <class Pixel>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<double> {
  using Type = double;
};
template <>
struct SumOf<std::uint8_t> {
  using Type = std::uint32_t;
};
template <class Value>
using Sum = typename SumOf<Value>::Type;

template <class Value>
__device__ Sum<Value> load(const Value* value) {
  if constexpr (std::is_same_v<Value, __nv_bfloat16>)
    return __bfloat162float(*value);
  else
    return static_cast<Sum<Value>>(*value);
}

template <class Value, class From>
__device__ void store(From sum, Value* value) {
  if constexpr (std::is_same_v<From, std::uint32_t>)
    store(static_cast<float>(sum) / 255.0F, value);
  else if constexpr (std::is_same_v<Value, __nv_bfloat16>)
    *value = __float2bfloat16_rn(sum);
  else
    *value = static_cast<Value>(sum);
}

__host__ __device__ inline int half_angles(int thetas) { return thetas == 1 ? 1 : thetas / 2 + 1; }
__host__ __device__ inline int half_lines(int count) { return (count + 1) / 2; }
__host__ __device__ inline bool has_mirror(int t, int thetas) { return t != 0 && 2 * t != thetas; }

}  // namespace vsmax
