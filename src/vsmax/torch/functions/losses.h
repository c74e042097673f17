// SPDX-License-Identifier: Apache-2.0
// The paper's two losses. Lines are (theta, rho / D).
#pragma once

#include <torch/types.h>

namespace vsmax::nn {

// L_polar: the mean over the batch of (theta - theta*)^2 + (rho - rho*)^2, theta* in [0, pi) and
// plain differences: lines across the seam count as far apart.
torch::Tensor polar_loss(const torch::Tensor& polar, const torch::Tensor& truth);

// The same lines, without derivative where theta is more than pi/2 from the truth's. Such a line
// lies across the seam: L_polar would pull it the long way round, away from the truth. For a
// readout that turns with its input, as VSmax does, these pulls cancel all others on average: an
// error e puts the seam between line and truth with probability |e| / pi, and
// 2 e (1 - |e| / pi) - 2 (pi - |e|) |e| / pi sign(e) = 0 for every e, so nothing is learned.
torch::Tensor hold_across_seam(const torch::Tensor& polar, const torch::Tensor& truth);

// L_vs: the mean over the batch of |v - v_2(truth)|^2; where v lies on the manifold, the squared
// chordal distance (Eq. 6). embedding: [B, 6], truth: [B, 2].
torch::Tensor veronese_loss(const torch::Tensor& embedding, const torch::Tensor& truth);

}  // namespace vsmax::nn
