// SPDX-License-Identifier: Apache-2.0
// Coordinates near the visible part of a line: u runs along it from -1 to 1, t across it, along the
// normal, in pixels. The refinements move lines in these coordinates.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "vsmax/geometry/line.h"

namespace vsmax {

class AcrossLine {
 public:
  AcrossLine(PixelLine line, const Segment& visible)
      : theta_(line.theta),
        normal_{std::cos(line.theta), std::sin(line.theta)},
        middle_(visible.midpoint()),
        half_{0.5 * (visible.end[0] - visible.begin[0]),
              0.5 * (visible.end[1] - visible.begin[1])} {}

  double half_length() const { return std::hypot(half_[0], half_[1]); }
  const std::array<double, 2>& normal() const { return normal_; }

  std::array<double, 2> point(double u, double t) const {
    return {middle_[0] + u * half_[0] + t * normal_[0], middle_[1] + u * half_[1] + t * normal_[1]};
  }

  // The line t = shift + slope * u.
  PixelLine line(double shift, double slope) const {
    const double theta = theta_ - std::atan(slope / half_length());
    const std::array<double, 2> on_it = point(0.0, shift);
    return canonical(PixelLine{theta, on_it[0] * std::cos(theta) + on_it[1] * std::sin(theta)});
  }

 private:
  double theta_;
  std::array<double, 2> normal_;
  std::array<double, 2> middle_;
  std::array<double, 2> half_;
};

// Where the middles of `count` equal pieces of the visible part lie.
inline double along(std::size_t piece, std::size_t count) {
  return (2.0 * static_cast<double>(piece) + 1.0) / static_cast<double>(count) - 1.0;
}

}  // namespace vsmax
