// SPDX-License-Identifier: Apache-2.0
// The paper's two losses, and the embedding one of them is taken in. Lines are (theta, rho / D).
#pragma once

#include <torch/types.h>

namespace vsmax::nn {

// v_2 of a line (Eq. 3, 4): [..., 2] -> [..., 6].
torch::Tensor veronese_from_polar(const torch::Tensor& polar);

// L_polar: the mean over the batch of (theta - theta*)^2 + (rho - rho*)^2, theta* in [0, pi) and
// plain differences: what lies across the seam counts as far.
torch::Tensor polar_loss(const torch::Tensor& polar, const torch::Tensor& truth);

// The same lines, passing no derivative where theta is more than pi/2 from the truth's. Such a line
// lies across the seam: L_polar would have it go the long way round, away from the truth. For a
// readout that turns with its input, as VSmax does, these lines' pull cancels that of all others on
// average: an error e puts the seam between line and truth with probability |e| / pi, and
// 2 e (1 - |e| / pi) - 2 (pi - |e|) |e| / pi sign(e) = 0 whatever e is, so nothing is learned.
torch::Tensor hold_across_seam(const torch::Tensor& polar, const torch::Tensor& truth);

// L_vs: the mean over the batch of |v - v_2(truth)|^2; where v lies on the manifold, the squared
// chordal distance (Eq. 6). embedding: [B, 6], truth: [B, 2].
torch::Tensor veronese_loss(const torch::Tensor& embedding, const torch::Tensor& truth);

}  // namespace vsmax::nn
