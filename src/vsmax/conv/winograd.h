// SPDX-License-Identifier: Apache-2.0
// The layer 32 -> 32 of conv_kernels.h and its derivatives by Winograd's minimal filtering
// F(4x4, 3x3) (Lavin & Gray, "Fast algorithms for convolutional neural networks", CVPR 2016): 36
// products instead of 144 for 16 outputs,
//   y = A^T [(G w G^T) * (B^T x B)] A
// for a tile y of 4x4 outputs, its patch x of 6x6 inputs and weights w, summed over inputs.
#pragma once

#include "vsmax/conv/conv_kernels.h"

namespace vsmax {

inline constexpr std::size_t kWinogradRows = 4;
inline constexpr std::size_t kWinogradPoints = 36;
inline constexpr std::size_t kWinogradWeights = kWinogradPoints * kConvChannels * kConvChannels;

// G w G^T: 36 x 32 (in) x 32 (out), of weights as for direct_layer.
void transform_weights(const float* weights, float* transformed);
// G^T u G, the adjoint: the derivative for weights from that for transformed ones.
void untransform_weights(const double* transformed, float* weights);

// Floats of workspace that the functions below need, one workspace per thread.
std::size_t winograd_workspace(const FeatureShape& shape);

// With bias and ReLU, or without biases (null) with neither. The range begins and ends on multiples
// of kWinogradRows, or at the last row.
void winograd_layer(const FeatureShape& shape, const float* input, const float* transformed,
                    const float* biases, float* output, RowRange range, float* workspace);

// The derivative for transformed weights, from that for the outputs before bias and ReLU.
void winograd_weight_gradient(const FeatureShape& shape, const float* input, const float* gradient,
                              float* transformed_gradient, float* workspace);

}  // namespace vsmax
