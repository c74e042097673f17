// SPDX-License-Identifier: Apache-2.0
// The Hough transform and its adjoint as Eq. 7 and 9 state them: every pixel, every theta, in
// double. Slow and obvious; the kernels are tested against it.
#pragma once

#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax::reference {

// image: H x W. Returns T x R.
template <class Value>
std::vector<double> hough_forward(const HoughGrid& grid, const Value* image) {
  std::vector<double> accumulator(grid.cells(), 0.0);
  const auto [width, height] = grid.frame();
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const auto cell = static_cast<std::size_t>(t) * static_cast<std::size_t>(grid.rhos()) +
                          static_cast<std::size_t>(grid.bin(t, column, row));
        const auto pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                           static_cast<std::size_t>(column);
        accumulator[cell] += static_cast<double>(image[pixel]);
      }
  return accumulator;
}

// accumulator: T x R. Returns H x W.
template <class Value>
std::vector<double> hough_adjoint(const HoughGrid& grid, const Value* accumulator) {
  const auto [width, height] = grid.frame();
  std::vector<double> image(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                            0.0);
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const auto cell = static_cast<std::size_t>(t) * static_cast<std::size_t>(grid.rhos()) +
                          static_cast<std::size_t>(grid.bin(t, column, row));
        const auto pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                           static_cast<std::size_t>(column);
        image[pixel] += static_cast<double>(accumulator[cell]);
      }
  return image;
}

}  // namespace vsmax::reference
