// SPDX-License-Identifier: Apache-2.0
// What the tests of refinements share: lines near the true one to start from, and how near the
// refined ones are.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/random.h"
#include "vsmax/geometry/line.h"

namespace vsmax::test {

inline constexpr ImageFrame kRefinedSize{240, 180};
inline constexpr double kDegree = std::numbers::pi / 180.0;

// The line, turned by an angle and moved along its normal.
inline PixelLine moved(PixelLine line, double turn, double shift) {
  return canonical(PixelLine{line.theta + turn, line.rho + shift});
}

inline PixelLine any_start(Random& random, PixelLine line) {
  return moved(line, random.uniform(-1.0, 1.0) * kDegree, random.uniform(-3.0, 3.0));
}

// How far the line lies from the middle of the other's visible part, in pixels.
inline double shift_between(PixelLine line, PixelLine other, const ImageFrame& frame) {
  const auto middle = visible_segment(other, frame)->midpoint();
  return std::abs(middle[0] * std::cos(line.theta) + middle[1] * std::sin(line.theta) - line.rho);
}

inline void expect_near(PixelLine found, PixelLine wanted, double degrees, double pixels,
                        const ImageFrame& frame = kRefinedSize) {
  EXPECT_LT(angle_between(found.theta, wanted.theta), degrees * kDegree)
      << wanted.theta << ", " << wanted.rho;
  EXPECT_LT(shift_between(found, wanted, frame), pixels) << wanted.theta << ", " << wanted.rho;
  EXPECT_GE(found.theta, 0.0);
  EXPECT_LT(found.theta, std::numbers::pi);
}

}  // namespace vsmax::test
