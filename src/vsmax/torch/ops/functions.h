// SPDX-License-Identifier: Apache-2.0
// The stages between the operators as functions of tensors: what the modules call, and the Python
// package. Made of torch's own operators, so that derivatives, devices and traces come with them;
// any leading dimensions.
#pragma once

#include <torch/types.h>

#include <vector>

#include "vsmax/hough/cover.h"

namespace vsmax::nn {

// Both sheets of the accumulator (Eq. 12): [..., T, R] -> [..., 2T, R].
torch::Tensor double_cover(const torch::Tensor& accumulator);

// `rows` more rows at either end of theta, taken from the other end, rho reversed on the Moebius
// strip (Eq. 12, 13): [..., T, R] -> [..., T + 2 rows, R].
torch::Tensor seam_pad(const torch::Tensor& accumulator, int64_t rows, bool moebius);

// The refinement network (Eq. 14): [..., T, R] -> logits [..., T, R], or [..., 2T, R] on the
// double cover. weights: outputs x inputs x 3 x 3. With `bfloat16` the arithmetic on CUDA is so.
torch::Tensor refine_logits(const torch::Tensor& accumulator,
                            const std::vector<torch::Tensor>& weights,
                            const std::vector<torch::Tensor>& biases, Cover cover, double scale,
                            bool bfloat16);

// Logits without learning (Eq. 11, 24) from an accumulator [..., T, R] and its images [..., H, W].
// All zero where an image is constant.
torch::Tensor whitened_logits(const torch::Tensor& accumulator, const torch::Tensor& images);

// Logits over the single cover [..., T, R] -> (theta, rho / D) [..., 2] (Eq. 16).
torch::Tensor soft_argmax(const torch::Tensor& logits, double temperature);

// Embedding [..., 6] -> line -> (theta, rho / D) [..., 2], theta in [0, pi) (Eq. 20 to 22), with
// bounded derivatives (Eq. 23).
torch::Tensor polar_from_embedding(const torch::Tensor& embedding, double guard);

}  // namespace vsmax::nn
