// SPDX-License-Identifier: Apache-2.0
// Derivatives of the layers of conv_kernels.h, as far as they are not such layers themselves.
#pragma once

#include "vsmax/conv/conv_kernels.h"

namespace vsmax {

// Through ReLU and bias, for `cells` cells of 32 channels: masked = gradient where output > 0, else
// 0; bias_gradient (32) is its sum over cells. masked may be gradient.
void relu_gradient(std::size_t cells, const float* output, const float* gradient, float* masked,
                   float* bias_gradient);

// The derivative for weights of first_layer, 9 x inputs x 32, from that for its outputs before bias
// and ReLU, rows x columns x 32.
void first_weight_gradient(const FeatureShape& shape, std::size_t inputs, const float* input,
                           const float* gradient, float* weight_gradient);

// The derivative for weights of last_layer, 9 x 32, from that for its outputs, rows x columns.
void last_weight_gradient(const FeatureShape& shape, const float* input, const float* gradient,
                          float* weight_gradient);

}  // namespace vsmax
