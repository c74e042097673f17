// SPDX-License-Identifier: Apache-2.0
// Differentiable conversions between logits, embeddings and polar coordinates (theta, rho / D) of
// lines, with any leading dimensions.
#pragma once

#include <torch/types.h>

namespace vsmax::nn {

// Logits over the single cover [..., T, R] -> (theta, rho / D) [..., 2] (Eq. 16).
torch::Tensor soft_argmax(const torch::Tensor& logits, double temperature);

// v_2 of a line (Eq. 3, 4): [..., 2] -> [..., 6].
torch::Tensor veronese_from_polar(const torch::Tensor& polar);

// Embedding [..., 6] -> line -> (theta, rho / D) [..., 2] (Eq. 20 to 22), with bounded derivatives
// (Eq. 23). As in line_from_embedding, theta is in [0, pi) (here even after rounding to float), the
// line at infinity is (0, infinity), and an embedding that is not finite gives (NaN, NaN).
torch::Tensor polar_from_embedding(const torch::Tensor& embedding, double guard);

}  // namespace vsmax::nn
