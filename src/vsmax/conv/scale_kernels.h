// SPDX-License-Identifier: Apache-2.0
// Feature maps (rows x columns x 32) halved and doubled in size.
#pragma once

#include "vsmax/conv/conv_kernels.h"

namespace vsmax {

// Means over 2x2 cells. `shape` and `range` are those of the output.
void halve(const FeatureShape& shape, const float* input, float* output, RowRange range);

// Adds the input at twice its size, interpolated bilinearly between the centres of its cells and
// constant beyond them. `shape` and `range` are those of the output, whose sides are even.
void add_doubled(const FeatureShape& shape, const float* input, float* output, RowRange range);

}  // namespace vsmax
