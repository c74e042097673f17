// SPDX-License-Identifier: Apache-2.0
// The undirected line: polar coordinates (theta, rho), unit homogeneous vector, and what can be
// seen of it in an image. (theta, rho) and (theta + pi, -rho) are one line (Eq. 2).
#pragma once

#include <array>
#include <optional>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/projective.h"

namespace vsmax {

// x cos(theta) + y sin(theta) = rho. Canonical when theta lies in [0, pi). rho is in pixels, or in
// units of D where a comment says so.
struct PolarLine {
  double theta = 0.0;
  double rho = 0.0;
};

// l = (cos theta, sin theta, -rho) / sqrt(1 + rho^2) (Eq. 3), rho in units of D; l and -l are one.
using LineVector = ProjectivePoint<2>;

// The representative with theta in [0, pi).
PolarLine canonical(PolarLine line);

LineVector line_from_polar(PolarLine line);

// The inverse (Eq. 22), canonical. For the line at infinity, l = (0, 0, 1), rho is infinite.
PolarLine polar_from_line(const LineVector& line);

// The angle in [0, pi/2] between the directions of two lines.
double angle_between(PolarLine a, PolarLine b);

struct Segment {
  std::array<double, 2> begin{};  // x, y from the image centre
  std::array<double, 2> end{};
  std::array<double, 2> midpoint() const {
    return {0.5 * (begin[0] + end[0]), 0.5 * (begin[1] + end[1])};
  }
};

// The part of the line (rho in pixels) inside the box of pixel centres; empty if it misses it.
std::optional<Segment> visible_segment(PolarLine line, const ImageFrame& frame);

}  // namespace vsmax
