// SPDX-License-Identifier: Apache-2.0
// The Hough transform of the paper's grid as a textbook would write it, with the bin of every pixel
// and angle looked up in a table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax::bench {

// T x H x W bins.
inline const std::vector<std::uint8_t>& bin_table() {
  static const std::vector<std::uint8_t> table = [] {
    const HoughGrid grid = HoughGrid::paper();
    std::vector<std::uint8_t> bins;
    for (int t = 0; t < grid.thetas(); ++t)
      for (int row = 0; row < grid.frame().height; ++row)
        for (int column = 0; column < grid.frame().width; ++column)
          bins.push_back(static_cast<std::uint8_t>(grid.bin(t, column, row)));
    return bins;
  }();
  return table;
}

inline constexpr std::size_t kPixels = 256 * 256;
inline constexpr std::size_t kCells = 127 * 127;

template <class Pixel, class Sum>
void naive_forward(std::span<const Pixel> image, std::span<Sum> accumulator) {
  const std::uint8_t* bin = bin_table().data();
  std::fill(accumulator.begin(), accumulator.end(), Sum{});
  for (std::size_t row = 0; row < kCells; row += 127)
    for (const Pixel pixel : image) accumulator[row + *bin++] += pixel;
}

// One angle of the adjoint. The compiler vectorises it because __restrict rules out aliasing.
inline void add_bins(const std::uint8_t* bins, const float* row, float* __restrict image) {
  for (std::size_t i = 0; i < kPixels; ++i) image[i] += row[bins[i]];
}

inline void naive_adjoint(std::span<const float> accumulator, std::span<float> image) {
  std::fill(image.begin(), image.end(), 0.0F);
  for (std::size_t t = 0; t < 127; ++t)
    add_bins(&bin_table()[t * kPixels], &accumulator[t * 127], image.data());
}

}  // namespace vsmax::bench
