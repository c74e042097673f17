// SPDX-License-Identifier: Apache-2.0
// The EA-score of Zhao et al. (Deep Hough Transform, TPAMI 2021) as the paper defines it (Eq. 27):
// EA = (S_theta * S_d)^2, angular times positional agreement.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "vsmax/geometry/line.h"

namespace vsmax {

// The EA-score from the angle between two lines in pixel coordinates and the midpoints of their
// visible parts, which are scaled to the unit square here. (A side of one pixel has no extent to
// divide by.)
VSMAX_HOST_DEVICE inline double ea_from_parts(double angle, const std::array<double, 2>& a,
                                              const std::array<double, 2>& b,
                                              const ImageFrame& frame) {
  const double s_theta = 1.0 - angle / (std::numbers::pi / 2.0);
  const double dx = (a[0] - b[0]) / std::max(1, frame.width - 1);
  const double dy = (a[1] - b[1]) / std::max(1, frame.height - 1);
  const double s_d = std::max(0.0, 1.0 - std::hypot(dx, dy));
  return (s_theta * s_d) * (s_theta * s_d);
}

// The EA-score of two lines; 0 where either misses the image.
inline double ea_score(PixelLine predicted, PixelLine truth, const ImageFrame& frame) {
  const auto a = visible_segment(predicted, frame);
  const auto b = visible_segment(truth, frame);
  if (!a || !b) return 0.0;
  return ea_from_parts(angle_between(predicted.theta, truth.theta), a->midpoint(), b->midpoint(),
                       frame);
}

}  // namespace vsmax
