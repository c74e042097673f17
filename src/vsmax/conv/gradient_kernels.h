// SPDX-License-Identifier: Apache-2.0
// Gradients of the layers of conv_kernels.h, except those that these layers can compute themselves.
#pragma once

#include "vsmax/conv/conv_kernels.h"

namespace vsmax {

// Backward through ReLU and bias, for `cells` cells of 32 channels: masked = gradient where output
// > 0, else 0; bias_gradient (32) is the sum of masked over the cells. masked may alias gradient.
void relu_gradient(std::size_t cells, const float* output, const float* gradient, float* masked,
                   float* bias_gradient);

// The gradient of first_layer's weights, 9 x inputs x 32, at a scale of 1, from the gradient of its
// outputs before ReLU, rows x columns x 32.
void first_weight_gradient(const FeatureShape& shape, std::size_t inputs, const float* input,
                           const float* gradient, float* weight_gradient);

// The gradient of last_layer's weights, 9 x 32, from the gradient of its outputs, rows x columns.
void last_weight_gradient(const FeatureShape& shape, const float* input, const float* gradient,
                          float* weight_gradient);

}  // namespace vsmax
