// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace vsmax {

// Where the parabola through three equidistant values has its maximum, in steps from the middle
// one, which is the highest.
inline double vertex(double before, double middle, double after) {
  const double curvature = before - 2.0 * middle + after;
  return curvature < 0.0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.0;
}

}  // namespace vsmax
