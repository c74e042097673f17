// SPDX-License-Identifier: Apache-2.0
#include "vsmax/conv/scale_kernels.h"

#include <algorithm>

namespace vsmax {

namespace {

// An output cell lies between two input cells, a quarter from the nearer one.
struct Neighbours {
  std::size_t nearer;
  std::size_t farther;
};
Neighbours neighbours_of(std::size_t i, std::size_t count) {
  const std::size_t nearer = i / 2;
  if (i % 2 == 0) return {nearer, nearer == 0 ? 0 : nearer - 1};
  return {nearer, std::min(nearer + 1, count - 1)};
}

}  // namespace

void halve(const FeatureShape& shape, const float* input, float* output, RowRange range) {
  constexpr std::size_t kCell = kConvChannels;
  const std::size_t row = 2 * shape.columns * kCell;  // of the input
  for (std::size_t y = range.begin; y < range.end; ++y)
    for (std::size_t x = 0; x < shape.columns; ++x) {
      const float* from = input + 2 * y * row + 2 * x * kCell;
      float* to = output + (y * shape.columns + x) * kCell;
      for (std::size_t c = 0; c < kCell; ++c)
        to[c] = 0.25F * (from[c] + from[kCell + c] + from[row + c] + from[row + kCell + c]);
    }
}

void add_doubled(const FeatureShape& shape, const float* input, float* output, RowRange range) {
  constexpr std::size_t kCell = kConvChannels;
  const std::size_t rows = shape.rows / 2;
  const std::size_t columns = shape.columns / 2;
  for (std::size_t y = range.begin; y < range.end; ++y) {
    const auto vertical = neighbours_of(y, rows);
    const float* near_row = input + vertical.nearer * columns * kCell;
    const float* far_row = input + vertical.farther * columns * kCell;
    for (std::size_t x = 0; x < shape.columns; ++x) {
      const auto horizontal = neighbours_of(x, columns);
      const std::size_t a = horizontal.nearer * kCell;
      const std::size_t b = horizontal.farther * kCell;
      float* to = output + (y * shape.columns + x) * kCell;
      for (std::size_t c = 0; c < kCell; ++c)
        to[c] += 0.75F * (0.75F * near_row[a + c] + 0.25F * near_row[b + c]) +
                 0.25F * (0.75F * far_row[a + c] + 0.25F * far_row[b + c]);
    }
  }
}

}  // namespace vsmax
