// SPDX-License-Identifier: Apache-2.0
// The lines of a batch, on the CPU in double, from what the models compute.
#pragma once

#include <torch/types.h>

namespace vsmax {

// theta in [0, pi), rho in units of D. Where a model gives no line (rht with nothing above its
// threshold, or values that are not finite), `found` is false and theta and rho are 0.
struct PredictedLines {
  torch::Tensor theta;  // [B] float64
  torch::Tensor rho;    // [B] float64
  torch::Tensor found;  // [B] bool
};

// From (theta, rho / D), [B, 2].
PredictedLines lines_from_polar(const torch::Tensor& polar);

// From embeddings, [B, 6], by the leading eigenvector (Eq. 21).
PredictedLines lines_from_embedding(const torch::Tensor& embedding);

}  // namespace vsmax
