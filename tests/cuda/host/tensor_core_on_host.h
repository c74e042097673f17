// SPDX-License-Identifier: Apache-2.0
// What vsmax/base/tensor_core.h declares, for lanes that are fibers.
#pragma once

#include "cuda_bf16.h"
#include "cuda_runtime.h"

namespace vsmax {

// The two bfloat16s of a register.
inline float half_of(unsigned pair, int i) {
  return __uint_as_float(i == 0 ? pair << 16 : pair & 0xFFFF0000U);
}

inline void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  struct Fragments {
    unsigned a[4], b[2];
  };
  const Fragments mine{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  cuda_on_host::publish_in_warp(&mine, sizeof(mine));
  const auto at = [](unsigned lane) -> const Fragments& {
    return *static_cast<const Fragments*>(cuda_on_host::warp_slot(lane));
  };
  const unsigned lane = threadIdx.x % 32;
  // Element [m][k] of A is with lane 4 (m % 8) + k / 2 % 4, element [k][n] of B with 4 n + k / 2
  // % 4.
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned m = i / 2;  // of rows g and g + 8
    const unsigned n = 2 * (lane % 4) + i % 2;
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned group = k / 2 % 4;
      const float x = half_of(at(lane / 4 * 4 + group).a[k / 8 * 2 + m], k % 2);
      const float y = half_of(at(n * 4 + group).b[k / 8], k % 2);
      d[i] += x * y;
    }
  }
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

inline void copy_async(void* to, const void* from, bool inside) {
  static const std::byte zeros[16]{};
  cuda_on_host::copy_later(to, inside ? from : zeros, 16);
}
inline void commit_copies() { cuda_on_host::commit_copies(); }
template <int Groups>
void wait_for_copies() {
  cuda_on_host::wait_for_copies(Groups);
}

inline unsigned positive_bfloat16s(float first, float second) {
  const auto bits = [](float x) -> unsigned { return __float2bfloat16_rn(x < 0 ? 0.0F : x).bits; };
  return bits(first) | bits(second) << 16;
}

}  // namespace vsmax
