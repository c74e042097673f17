// SPDX-License-Identifier: Apache-2.0
// The Veronese soft-argmax on RP^n for any n: axes (n = 1), lines (2), rotations as quaternions
// (3). A point is a unit vector of n + 1 numbers, up to sign; its embedding has (n + 1)(n + 2) / 2.
#pragma once

#include <torch/types.h>

namespace vsmax::nn {

// v_2 (Eq. 4): [..., n + 1] -> [..., (n + 1)(n + 2) / 2]. Not normalised first.
torch::Tensor veronese_from_points(const torch::Tensor& points);

// Softmax over the last dimension and the barycentre under it (Eq. 15, 17): logits [..., K] and
// the K points' embeddings [K, d] -> [..., d].
torch::Tensor projective_readout(const torch::Tensor& logits, const torch::Tensor& embeddings,
                                 double temperature);

// The leading eigenvector of the matrix that an embedding encodes (Eq. 20, 21): [..., d] ->
// [..., n + 1], its largest entry positive; differentiable once, like leading_line (Eq. 23).
torch::Tensor leading_point(const torch::Tensor& embedding, double guard);

// The mean of |v - v_2(point)|^2, which is the squared chordal distance (Eq. 6) if v is an embedded
// point.
torch::Tensor chordal_loss(const torch::Tensor& embedding, const torch::Tensor& points);

}  // namespace vsmax::nn
