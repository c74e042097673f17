// SPDX-License-Identifier: Apache-2.0
// Lines as images, and how far lines lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "vsmax/data/synthetic.h"
#include "vsmax/geometry/line.h"
#include "vsmax/geometry/projective.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::test {

inline double chordal_distance(UnitLine a, UnitLine b) {
  return std::sqrt(squared_chordal_distance(vector_from_line(a), vector_from_line(b)));
}

inline GrayImage image_of(const ImageFrame& frame, PixelLine line, double sigma = 0.0,
                          std::uint32_t index = 0) {
  GrayImage image(frame);
  render_line(frame, line, sigma, {42, Split::kTest, 0, index}, image.pixels);
  return image;
}

inline GrayImage noise_image(const ImageFrame& frame, double sigma, std::uint32_t index = 0) {
  return image_of(frame, {0.0, 10.0 * frame.half_diagonal()}, sigma, index);
}

// Lines whose visible part is at least as long as the shorter side: in all directions, also at and
// near the seam, at several distances from the centre.
inline std::vector<PixelLine> long_lines(const ImageFrame& frame) {
  using std::numbers::pi;
  std::vector<double> angles{0.001, pi - 0.001, 0.0, pi / 2.0};
  for (int i = 0; i < 17; ++i) angles.push_back((i + 0.37) * pi / 17.0);
  std::vector<PixelLine> lines;
  for (const double theta : angles)
    for (const double share : {-0.6, -0.23, 0.04, 0.41, 0.7}) {
      const PixelLine line{theta, share * frame.reach(std::cos(theta), std::sin(theta))};
      const auto seen = visible_segment(line, frame);
      if (seen && std::hypot(seen->begin[0] - seen->end[0], seen->begin[1] - seen->end[1]) >
                      std::min(frame.width, frame.height) - 1.001)
        lines.push_back(line);
    }
  return lines;
}

}  // namespace vsmax::test
