// SPDX-License-Identifier: Apache-2.0
// From an accumulator to logits: the refinement network, or whitening. Composed of operators, which
// bring derivatives, devices and tracing with them. Any leading dimensions.
#pragma once

#include <torch/types.h>

#include <vector>

#include "vsmax/geometry/cover.h"

namespace vsmax::nn {

// `rows` more rows at either end of theta, taken from the other end, rho reversed on the Moebius
// strip (Eq. 12, 13): [..., T, R] -> [..., T + 2 rows, R].
torch::Tensor seam_pad(const torch::Tensor& accumulator, int64_t rows, bool moebius);

// The refinement network (Eq. 14): [..., T, R] -> logits [..., T, R], or [..., 2T, R] on the
// double cover. weights: outputs x inputs x 3 x 3. With `bfloat16`, CUDA computes in bfloat16.
torch::Tensor refine_logits(const torch::Tensor& accumulator,
                            const std::vector<torch::Tensor>& weights,
                            const std::vector<torch::Tensor>& biases, Cover cover, double scale,
                            bool bfloat16);

// Whether refine_logits uses our own kernels for bfloat16 on CUDA, which it does unless the
// environment variable VSMAX_REFINE_KERNELS is "torch".
bool own_kernels();

// Logits without learning (Eq. 11, 24) from an accumulator [..., T, R] and its images [..., H, W].
// All zero where an image is constant; NaN where a pixel is not finite.
torch::Tensor whitened_logits(const torch::Tensor& accumulator, const torch::Tensor& images);

}  // namespace vsmax::nn
