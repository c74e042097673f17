// SPDX-License-Identifier: Apache-2.0
// The Hough transform and its adjoint as Eq. 7 and 9 state them: every pixel, every theta, in
// double. Slow and obvious; the kernels are tested against it.
#pragma once

#include <cstddef>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax::reference {

// Calls body(cell index, pixel index) for every vote.
template <class Body>
void for_each_vote(const HoughGrid& grid, const Body& body) {
  const ImageFrame& frame = grid.frame();
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column)
        body(grid.shape().index({t, grid.bin(t, column, row)}), frame.index(column, row));
}

// image: H x W. Returns T x R.
template <class Sum = double, class Value>
std::vector<Sum> hough_forward(const HoughGrid& grid, const Value* image) {
  std::vector<Sum> accumulator(grid.cells(), Sum{});
  for_each_vote(grid, [&](std::size_t cell, std::size_t pixel) {
    accumulator[cell] += static_cast<Sum>(image[pixel]);
  });
  return accumulator;
}

// accumulator: T x R. Returns H x W.
template <class Sum = double, class Value>
std::vector<Sum> hough_adjoint(const HoughGrid& grid, const Value* accumulator) {
  std::vector<Sum> image(grid.frame().pixels(), Sum{});
  for_each_vote(grid, [&](std::size_t cell, std::size_t pixel) {
    image[pixel] += static_cast<Sum>(accumulator[cell]);
  });
  return image;
}

}  // namespace vsmax::reference
