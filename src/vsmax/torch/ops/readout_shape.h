// SPDX-License-Identifier: Apache-2.0
// Internal: checks of the operators on logits.
#pragma once

#include <torch/types.h>

#include "vsmax/hough/cells.h"

namespace vsmax::ops {

// The grid of logits [batch, rows, R].
inline CellShape checked_readout_shape(const torch::Tensor& logits, bool double_cover,
                                       double temperature, const char* op) {
  const int64_t rows = logits.size(1);
  const int64_t rhos = logits.size(2);
  constexpr int64_t kMost = 1 << 15;
  TORCH_CHECK(temperature > 0.0, op, ": the temperature must be positive, not ", temperature);
  TORCH_CHECK(rows >= 1 && rows <= kMost, op, ": needs 1 to ", kMost, " rows of theta, not ", rows);
  TORCH_CHECK(
      !double_cover || rows % 2 == 0, op, ": ", rows,
      " rows of theta cannot be split into two sheets; an accumulator with theta from 0 to pi "
      "has the cover 'single'");
  TORCH_CHECK(rhos >= 3 && rhos <= kMost && rhos % 2 == 1, op,
              ": the number of offsets R must be odd and at least 3, not ", rhos);
  return {static_cast<int>(double_cover ? rows / 2 : rows), static_cast<int>(rhos),
          double_cover ? Cover::kDouble : Cover::kSingle};
}

}  // namespace vsmax::ops
