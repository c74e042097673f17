// SPDX-License-Identifier: Apache-2.0
// Internal: checks that the functions share.
#pragma once

#include <torch/types.h>

namespace vsmax::nn {

// An extent as a number; under torch.compile it becomes a constant of the trace.
inline int64_t extent(const torch::Tensor& tensor, int64_t dim) {
  return tensor.sym_size(dim).guard_int(__FILE__, __LINE__);
}

inline void require_accumulator(const torch::Tensor& tensor, const char* what) {
  TORCH_CHECK(tensor.dim() >= 2, what, " needs at least the two dimensions [T, R], not ",
              tensor.dim());
}

inline void require_positive_temperature(double temperature) {
  TORCH_CHECK(temperature > 0.0, "the temperature must be positive, not ", temperature);
}

}  // namespace vsmax::nn
