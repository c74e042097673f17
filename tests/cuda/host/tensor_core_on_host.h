// SPDX-License-Identifier: Apache-2.0
// What vsmax/base/tensor_core.h declares, for lanes that are fibers.
#pragma once

#include "cuda_bf16.h"
#include "cuda_runtime.h"

namespace vsmax {

inline void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  struct Fragments {
    float a[8], b[4];
  };
  Fragments mine;
  const auto widen = [](unsigned pair, float* to) {
    to[0] = __uint_as_float(pair << 16);
    to[1] = __uint_as_float(pair & 0xFFFF0000U);
  };
  for (unsigned i = 0; i < 4; ++i) widen(a[i], mine.a + 2 * i);
  for (unsigned i = 0; i < 2; ++i) widen(b[i], mine.b + 2 * i);
  cuda_on_host::publish_in_warp(&mine, sizeof(mine));
  const auto at = [](unsigned lane) {
    return static_cast<const Fragments*>(cuda_on_host::warp_slot(lane));
  };
  // A[m][k] is with lane 4 (m % 8) + k / 2 % 4, and B[k][n] with lane 4 n + k / 2 % 4.
  const unsigned lane = threadIdx.x % 32;
  for (unsigned c = 0; c < 4; ++c) {
    const float* x = at(lane / 4 * 4 + c)->a;
    for (unsigned j = 0; j < 2; ++j) {
      const float* y = at((2 * (lane % 4) + j) * 4 + c)->b;
      for (unsigned i = 0; i < 2; ++i)  // rows g and g + 8
        d[2 * i + j] +=
            (x[2 * i] * y[0] + x[2 * i + 1] * y[1]) + (x[2 * i + 4] * y[2] + x[2 * i + 5] * y[3]);
    }
  }
}

inline void multiply_add(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  multiply_add(d, {a[0], a[1], 0U, 0U}, {b, 0U});
}

inline void load_matrices(unsigned (&m)[4], const void* row) {
  cuda_on_host::publish_in_warp(&row, sizeof(row));
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 4; ++i) {
    const auto* from =
        *static_cast<const std::byte* const*>(cuda_on_host::warp_slot(8 * i + lane / 4));
    std::memcpy(&m[i], from + 4 * (lane % 4), 4);
  }
}

inline void load_matrices_transposed(unsigned (&m)[4], const void* row) {
  cuda_on_host::publish_in_warp(&row, sizeof(row));
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned k = 0; k < 2; ++k) {
      const auto* from = *static_cast<const std::byte* const*>(
          cuda_on_host::warp_slot(8 * i + 2 * (lane % 4) + k));
      std::memcpy(reinterpret_cast<std::byte*>(&m[i]) + 2 * k, from + 2 * (lane / 4), 2);
    }
}

inline void copy_async(void* to, const void* from, bool inside) {
  static const std::byte zeros[16]{};
  cuda_on_host::copy_later(to, inside ? from : zeros, 16);
}
inline void commit_copies() { cuda_on_host::commit_copies(); }
template <int Groups>
void wait_for_copies() {
  cuda_on_host::wait_for_copies(Groups);
}

inline unsigned bfloat16s(float first, float second) {
  const auto bits = [](float x) -> unsigned { return __float2bfloat16_rn(x).bits; };
  return bits(first) | bits(second) << 16;
}
inline unsigned positive_bfloat16s(float first, float second) {
  return bfloat16s(first < 0 ? 0.0F : first, second < 0 ? 0.0F : second);
}

}  // namespace vsmax
