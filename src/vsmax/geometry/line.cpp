// SPDX-License-Identifier: Apache-2.0
#include "vsmax/geometry/line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace vsmax {

using std::numbers::pi;

LineVector vector_from_line(UnitLine line) {
  if (std::isinf(line.rho)) return {0.0, 0.0, line.rho > 0.0 ? -1.0 : 1.0};
  const double scale = 1.0 / std::hypot(1.0, line.rho);
  return {std::cos(line.theta) * scale, std::sin(line.theta) * scale, -line.rho * scale};
}

UnitLine line_from_vector(const LineVector& vector) {
  const double normal = std::hypot(vector[0], vector[1]);
  if (normal == 0.0) return {0.0, std::numeric_limits<double>::infinity()};
  return canonical(UnitLine{std::atan2(vector[1], vector[0]), -vector[2] / normal});
}

double angle_between(double theta_a, double theta_b) {
  return projective_angle<2>({std::cos(theta_a), std::sin(theta_a)},
                             {std::cos(theta_b), std::sin(theta_b)});
}

std::optional<Segment> visible_segment(PixelLine line, const ImageFrame& frame) {
  if (!std::isfinite(line.theta) || !std::isfinite(line.rho)) return std::nullopt;
  const std::array<double, 2> normal{std::cos(line.theta), std::sin(line.theta)};
  const std::array<double, 2> foot{line.rho * normal[0], line.rho * normal[1]};
  const std::array<double, 2> direction{-normal[1], normal[0]};
  const std::array<double, 2> half{frame.half_width(), frame.half_height()};

  // Points foot + s * direction; each pair of sides bounds s (Liang & Barsky).
  double enter = -std::numeric_limits<double>::infinity();
  double leave = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (direction[axis] == 0.0) {
      if (std::abs(foot[axis]) > half[axis]) return std::nullopt;
      continue;
    }
    const double s0 = (-half[axis] - foot[axis]) / direction[axis];
    const double s1 = (half[axis] - foot[axis]) / direction[axis];
    enter = std::max(enter, std::min(s0, s1));
    leave = std::min(leave, std::max(s0, s1));
  }
  if (enter > leave) return std::nullopt;
  const auto point = [&](double s) {
    return std::array<double, 2>{std::clamp(foot[0] + s * direction[0], -half[0], half[0]),
                                 std::clamp(foot[1] + s * direction[1], -half[1], half[1])};
  };
  return Segment{point(enter), point(leave)};
}

}  // namespace vsmax
