// SPDX-License-Identifier: Apache-2.0
// A line in the coordinates in which thin lines are drawn (Eq. 28): one pixel in every row if it is
// steep, one in every column if it is flat. In each of them that is exactly the nearest pixel.
#pragma once

#include <cmath>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

// Half the sides of the image along (u) and across (v) the lines: u runs over rows for steep lines
// and over columns for flat ones.
struct HalfSides {
  double u = 0.0;
  double v = 0.0;
};

inline HalfSides half_sides(const ImageFrame& frame, bool flat) {
  if (flat) return {frame.half_width(), frame.half_height()};
  return {frame.half_height(), frame.half_width()};
}

// v = offset - slope u, from the image centre. To sum the pixels of a whole line, choose `flat` so
// that |slope| <= 1.
struct ChordLine {
  bool flat = false;
  double offset = 0.0;
  double slope = 0.0;

  PixelLine polar() const {
    const double rho = offset / std::sqrt(1.0 + slope * slope);
    return canonical(PixelLine{flat ? std::atan2(1.0, slope) : std::atan(slope), rho});
  }

  // The same line with u and v exchanged; not for a slope of 0.
  ChordLine transposed() const { return {!flat, offset / slope, 1.0 / slope}; }

  bool meets(const HalfSides& half) const {
    return std::abs(offset) < half.v + half.u * std::abs(slope);
  }

  // log |d(theta, rho) / d(offset, slope)|: with this prior all lines are equally likely.
  double log_prior() const { return -1.5 * std::log1p(slope * slope); }
};

inline ChordLine chord_line(PixelLine line) {
  const double cosine = std::cos(line.theta);
  const double sine = std::sin(line.theta);
  if (std::abs(cosine) >= std::abs(sine)) return {false, line.rho / cosine, sine / cosine};
  return {true, line.rho / sine, cosine / sine};
}

}  // namespace vsmax
