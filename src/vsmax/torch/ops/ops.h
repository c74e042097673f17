// SPDX-License-Identifier: Apache-2.0
// The differentiable operators, registered with the dispatcher as vsmax::NAME for CPU, CUDA (in a
// build with CUDA), Meta and Autograd. They take float32 and float64; half and bfloat16 are
// computed and returned in float32. Results are contiguous, except that seam_relu keeps the layout
// of its input and conv_layer returns channels-last. All are deterministic, on CUDA as well, and a
// CUDA graph can capture them.
#pragma once

#include <torch/types.h>

namespace vsmax::ops {

// The Hough transform (Eq. 7): [..., H, W] -> [..., T, R]. Linear; hough_adjoint is its derivative.
torch::Tensor hough(const torch::Tensor& images, int64_t thetas, int64_t rhos);

// The adjoint (Eq. 9): [..., T, R] -> [..., H, W].
torch::Tensor hough_adjoint(const torch::Tensor& accumulators, int64_t width, int64_t height);

// Softmax over the last two dimensions (Eq. 15) and the barycentre of the lines' embeddings under
// it (Eq. 17): [..., T, R], or [..., 2T, R] on the double cover, -> [..., 6]. Differentiable once.
torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature);

// The leading eigenvector of the matrix that an embedding encodes (Eq. 20, 21): [..., 6] ->
// [..., 3], its largest entry positive. As the eigenvalues meet, the derivative remains bounded by
// 1 / (2 guard) (Eq. 23). Differentiable once.
torch::Tensor leading_line(const torch::Tensor& embedding, double guard);

// How far softmax(logits / temperature) is concentrated on lines (concentration.h): logits [...,
// rows, R], log_sum [...] and barycentre [..., 6] as veronese_readout_forward returns them, lines
// (theta, rho / D) [..., 2] -> [...]. Not differentiable.
torch::Tensor concentration(const torch::Tensor& logits, const torch::Tensor& log_sum,
                            const torch::Tensor& barycentre, const torch::Tensor& lines,
                            bool double_cover, double temperature);

// max(input + bias, 0) with one more row at either end of theta, taken from the other end (Eq. 12),
// rho reversed on the Moebius strip (Eq. 13): [B, C, T, R] and [C] -> [B, C, T+2, R]. On CUDA this
// takes one pass over memory instead of three if the input is channels-last. bias may be float32
// where input is bfloat16. Differentiable once.
torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius);

// A layer of the networks, run by the core's kernels, on the CPU and in float32 only: a 3x3
// convolution with bias, followed by ReLU unless it has a single output. [B, C, H, W] ->
// [B, outputs, H, W], channels-last. Maps are padded with zeros; on a cover of line space (`cover`
// 1: single, 2: double; 0: an image) the rows continue across the seam instead. Differentiable
// once.
torch::Tensor conv_layer(const torch::Tensor& maps, const torch::Tensor& weight,
                         const torch::Tensor& bias, int64_t cover);
// Whether there is a kernel for the weights: [32, C, 3, 3] up to C = 32, or [1, 32, 3, 3].
bool is_conv_layer(const torch::Tensor& weight);

// The refinement network in bfloat16: [B, T, R] -> [B, T, R], or [B, 2T, R] on the double cover.
// CUDA only, in builds with CUDA. `scale` multiplies the accumulators. weights: outputs x inputs
// x 3 x 3. Differentiable once.
torch::Tensor refine_net(const torch::Tensor& accumulators, torch::TensorList weights,
                         torch::TensorList biases, bool double_cover, double scale);
// Whether the weights are those of such a network.
bool is_refine_net(torch::TensorList weights, torch::TensorList biases);

}  // namespace vsmax::ops
