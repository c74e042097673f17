// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions on the CPU, for the networks before and after the Hough transform. Feature maps
// are channels-last: rows x columns x 32. Columns are padded with zeros; so are rows, except on a
// cover of line space, where they continue across the seam. Each call computes rows begin .. end-1
// of its output, so that threads can share a layer.
#pragma once

#include <cstddef>
#include <optional>

#include "vsmax/geometry/cover.h"

namespace vsmax {

inline constexpr std::size_t kConvChannels = 32;

struct FeatureShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::optional<Cover> cover;  // none: an image
};

struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// inputs -> 32, ReLU. input: rows x columns x inputs (at most 32), multiplied by `scale`; weights:
// 9 x inputs x 32. If biases is null, there is no ReLU either.
void first_layer(const FeatureShape& shape, std::size_t inputs, const float* input, float scale,
                 const float* weights, const float* biases, float* output, RowRange range);

// 32 -> 32, ReLU, by direct convolution. weights: 9 x 32 (in) x 32 (out).
void direct_layer(const FeatureShape& shape, const float* input, const float* weights,
                  const float* biases, float* output, RowRange range);

// 32 -> 1. weights: 9 x 32; output: rows x columns.
void last_layer(const FeatureShape& shape, const float* input, const float* weights, float bias,
                float* output, RowRange range);

}  // namespace vsmax
