// SPDX-License-Identifier: Apache-2.0
// The undirected line: polar coordinates (theta, rho), unit homogeneous vector, and the part of it
// that is visible in an image. (theta, rho) and (theta + pi, -rho) are the same line (Eq. 2).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "vsmax/base/host_device.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/projective.h"

namespace vsmax {

// x cos(theta) + y sin(theta) = rho, from the image centre, in pixels. Canonical when theta lies in
// [0, pi).
struct PixelLine {
  double theta = 0.0;
  double rho = 0.0;

  friend bool operator==(const PixelLine&, const PixelLine&) = default;
};

// The same with rho in units of D (ImageFrame::half_diagonal): |rho| <= 1 for every line that meets
// the image. The embedding and the losses take lines in this unit.
struct UnitLine {
  double theta = 0.0;
  double rho = 0.0;
};

inline UnitLine unit_from_pixel(PixelLine line, const ImageFrame& frame) {
  return {line.theta, line.rho / frame.half_diagonal()};
}
VSMAX_HOST_DEVICE inline PixelLine pixel_from_unit(UnitLine line, const ImageFrame& frame) {
  return {line.theta, line.rho * frame.half_diagonal()};
}

// The representative with theta in [0, pi), of a PixelLine or a UnitLine.
template <class Line>
VSMAX_HOST_DEVICE Line canonical(Line line) {
  constexpr double kPi = std::numbers::pi;
  const double turns = std::floor(line.theta / kPi);
  line.theta -= turns * kPi;
  if (std::fmod(turns, 2.0) != 0.0) line.rho = -line.rho;
  // Rounding can leave theta a hair outside [0, pi).
  if (line.theta < 0.0) line.theta = 0.0;
  if (line.theta >= kPi) {
    line.theta = 0.0;
    line.rho = -line.rho;
  }
  return line;
}

// l = (cos theta, sin theta, -rho) / sqrt(1 + rho^2) (Eq. 3); l and -l are the same line.
using LineVector = ProjectivePoint<2>;

LineVector vector_from_line(UnitLine line);

// The inverse (Eq. 22), canonical. For the line at infinity, l = (0, 0, 1), rho is infinite.
VSMAX_HOST_DEVICE inline UnitLine line_from_vector(const LineVector& vector) {
  const double normal = std::hypot(vector[0], vector[1]);
  if (normal == 0.0) return {0.0, std::numeric_limits<double>::infinity()};
  return canonical(UnitLine{std::atan2(vector[1], vector[0]), -vector[2] / normal});
}

// The angle in [0, pi/2] between two lines whose normals have these angles.
double angle_between(double theta_a, double theta_b);

struct Segment {
  std::array<double, 2> begin{};  // x, y from the image centre
  std::array<double, 2> end{};
  VSMAX_HOST_DEVICE std::array<double, 2> midpoint() const {
    return {0.5 * (begin[0] + end[0]), 0.5 * (begin[1] + end[1])};
  }
};

// The part of the line inside the box of pixel centres; empty if it misses it.
VSMAX_HOST_DEVICE inline std::optional<Segment> visible_segment(PixelLine line,
                                                                const ImageFrame& frame) {
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
