// SPDX-License-Identifier: Apache-2.0
// Feature maps (rows x columns x 32) at half and at twice their size.
#pragma once

#include "vsmax/conv/conv_kernels.h"

namespace vsmax {

// Means over 2x2 cells. `shape` is that of the output, and so is the range of rows.
void halve(const FeatureShape& shape, const float* input, float* output, RowRange range);

// Adds the input at twice its size, linearly interpolated between the centres of its cells and
// constant beyond them. `shape` is that of the output, with even sides, and so is the range.
void add_doubled(const FeatureShape& shape, const float* input, float* output, RowRange range);

}  // namespace vsmax
