// SPDX-License-Identifier: Apache-2.0
// Internal: a batch of lines on the CPU in double, from what the models compute.
#pragma once

#include "vsmax/torch/models/line_model.h"

namespace vsmax {

// From (theta, rho / D), [B, 2]; made canonical, not found where not finite.
PredictedLines lines_from_polar(const torch::Tensor& polar);

// From embeddings, [B, 6], by the leading eigenvector (Eq. 21).
PredictedLines lines_from_embedding(const torch::Tensor& embedding);

// (theta, rho / D) as float32 on the device of `like`, [B, 2]; not a number where not found.
torch::Tensor polar_from_lines(const PredictedLines& lines, const torch::Tensor& like);

}  // namespace vsmax
