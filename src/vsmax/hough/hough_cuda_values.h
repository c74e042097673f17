// SPDX-License-Identifier: Apache-2.0
// Internal: what both transforms on CUDA share. Bytes and bfloat16 have wider sums.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace vsmax {

inline constexpr int kKinds = 4;  // a line or pixel and its three mirror images
// The shared memory that a block may use on every device from Ampere on. With the device's own
// limit, results would depend on the device.
inline constexpr std::size_t kMostSharedBytes = 99 * 1024;
// For the kernels that need no table.
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

}  // namespace vsmax
