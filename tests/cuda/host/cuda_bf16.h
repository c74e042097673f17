// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

struct alignas(2) __nv_bfloat16 {
  std::uint16_t bits;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

inline float __bfloat162float(__nv_bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
// To the nearest, ties to even.
inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return {0x7FFF};
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}
