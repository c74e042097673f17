// SPDX-License-Identifier: Apache-2.0
// The Hough transform and its adjoint as Eq. 7 and 9 state them: every pixel, every theta, in
// double. Slow and obvious; the kernels are tested against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax::reference {

// The cell of every vote of a grid, decided once for several images.
class Votes {
 public:
  explicit Votes(const HoughGrid& grid) : pixels_(grid.frame().pixels()), cells_(grid.cells()) {
    votes_.reserve(static_cast<std::size_t>(grid.thetas()) * pixels_);
    for (int t = 0; t < grid.thetas(); ++t)
      for (int row = 0; row < grid.frame().height; ++row)
        for (int column = 0; column < grid.frame().width; ++column)
          votes_.push_back(
              static_cast<std::uint32_t>(grid.shape().index({t, grid.bin(t, column, row)})));
  }

  // image: H x W. Returns T x R, summed pixel by pixel in Sum.
  template <class Sum = double, class Value>
  std::vector<Sum> forward(const Value* image) const {
    std::vector<Sum> accumulator(cells_, Sum{});
    for (std::size_t i = 0, pixel = 0; i < votes_.size(); ++i, pixel = next(pixel))
      accumulator[votes_[i]] += static_cast<Sum>(image[pixel]);
    return accumulator;
  }

  // accumulator: T x R. Returns H x W, summed angle by angle in Sum.
  template <class Sum = double, class Value>
  std::vector<Sum> adjoint(const Value* accumulator) const {
    std::vector<Sum> image(pixels_, Sum{});
    for (std::size_t i = 0, pixel = 0; i < votes_.size(); ++i, pixel = next(pixel))
      image[pixel] += static_cast<Sum>(accumulator[votes_[i]]);
    return image;
  }

 private:
  std::size_t next(std::size_t pixel) const { return pixel + 1 == pixels_ ? 0 : pixel + 1; }

  std::size_t pixels_;
  std::size_t cells_;
  std::vector<std::uint32_t> votes_;  // T x H x W
};

template <class Value>
std::vector<double> hough_forward(const HoughGrid& grid, const Value* image) {
  return Votes(grid).forward(image);
}

template <class Value>
std::vector<double> hough_adjoint(const HoughGrid& grid, const Value* accumulator) {
  return Votes(grid).adjoint(accumulator);
}

}  // namespace vsmax::reference
