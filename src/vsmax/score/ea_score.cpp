// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/ea_score.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vsmax {

double ea_score(PolarLine predicted, PolarLine truth, const ImageFrame& frame) {
  const auto a = visible_segment(predicted, frame);
  const auto b = visible_segment(truth, frame);
  if (!a || !b) return 0.0;
  // The angle is measured in pixels; only the midpoints are taken to the unit square. A side of one
  // pixel has no extent to divide by.
  const double s_theta = 1.0 - angle_between(predicted, truth) / (std::numbers::pi / 2.0);
  const double dx = (a->midpoint()[0] - b->midpoint()[0]) / std::max(1, frame.width - 1);
  const double dy = (a->midpoint()[1] - b->midpoint()[1]) / std::max(1, frame.height - 1);
  const double s_d = std::max(0.0, 1.0 - std::hypot(dx, dy));
  return (s_theta * s_d) * (s_theta * s_d);
}

}  // namespace vsmax
