// SPDX-License-Identifier: Apache-2.0
// The 32 -> 32 layer of conv_kernels.h and its gradients by Winograd's minimal filtering
// F(4x4, 3x3) (Lavin & Gray, "Fast algorithms for convolutional neural networks", CVPR 2016): 36
// products instead of 144 for 16 outputs,
//   y = A^T [(G w G^T) * (B^T x B)] A
// for a tile y of 4x4 outputs, its patch x of 6x6 inputs and weights w, summed over input channels.
#pragma once

#include "vsmax/conv/conv_kernels.h"

namespace vsmax {

inline constexpr std::size_t kWinogradRows = 4;
inline constexpr std::size_t kWinogradPoints = 36;
inline constexpr std::size_t kWinogradWeights = kWinogradPoints * kConvChannels * kConvChannels;

// G w G^T: 36 x 32 (in) x 32 (out), from weights as for direct_layer.
void transform_weights(const float* weights, float* transformed);
// G^T u G, the adjoint: the gradient of the weights from that of the transformed weights.
void untransform_weights(const double* transformed, float* weights);

// The number of floats in the workspace that the functions below need, one per thread.
std::size_t winograd_workspace(const FeatureShape& shape);

// With bias and ReLU, or with neither if biases is null. The range begins and ends at multiples of
// kWinogradRows or at the end of the map.
void winograd_layer(const FeatureShape& shape, const float* input, const float* transformed,
                    const float* biases, float* output, RowRange range, float* workspace);

// The gradient of the transformed weights, from that of the outputs before ReLU.
void winograd_weight_gradient(const FeatureShape& shape, const float* input, const float* gradient,
                              float* transformed_gradient, float* workspace);

}  // namespace vsmax
