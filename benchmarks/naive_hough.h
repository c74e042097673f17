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

template <class Pixel, class Sum>
void naive_forward(std::span<const Pixel> image, std::span<Sum> accumulator) {
  const std::uint8_t* bin = bin_table().data();
  std::fill(accumulator.begin(), accumulator.end(), Sum{});
  for (std::size_t row = 0; row < accumulator.size(); row += 127)
    for (const Pixel pixel : image) accumulator[row + *bin++] += pixel;
}

inline void naive_adjoint(std::span<const float> accumulator, std::span<float> image) {
  const std::uint8_t* bin = bin_table().data();
  std::fill(image.begin(), image.end(), 0.0F);
  for (std::size_t row = 0; row < accumulator.size(); row += 127)
    for (float& pixel : image) pixel += accumulator[row + *bin++];
}

}  // namespace vsmax::bench
