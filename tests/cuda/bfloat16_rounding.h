// SPDX-License-Identifier: Apache-2.0
// How the refinement network's kernels round, in double.
#pragma once

#include <cuda_bf16.h>

#include <vector>

namespace vsmax::test {

inline double to_bfloat16(double value) {
  return __bfloat162float(__float2bfloat16_rn(static_cast<float>(value)));
}

// The first layer's inputs, weights and biases: split into two bfloat16s.
inline double to_two_bfloat16s(double value) {
  const double first = to_bfloat16(value);
  return first + to_bfloat16(value - first);
}
inline std::vector<float> to_two_bfloat16s(std::vector<float> values) {
  for (float& value : values) value = static_cast<float>(to_two_bfloat16s(double{value}));
  return values;
}

}  // namespace vsmax::test
