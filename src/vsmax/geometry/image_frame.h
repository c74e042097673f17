// SPDX-License-Identifier: Apache-2.0
// The coordinates of an image, defined here and nowhere else: the origin lies at the image centre,
// x runs to the right, y downwards, and integer steps go from pixel centre to pixel centre. So
// x = column - (W-1)/2 and y = row - (H-1)/2 (Eq. 1).
#pragma once

#include <cmath>
#include <cstddef>

#include "vsmax/base/host_device.h"

namespace vsmax {

struct ImageFrame {
  int width = 0;
  int height = 0;

  std::size_t pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::size_t index(int column, int row) const {  // of a pixel, row by row from the top
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }
  VSMAX_HOST_DEVICE double half_width() const { return 0.5 * (width - 1); }
  VSMAX_HOST_DEVICE double half_height() const { return 0.5 * (height - 1); }
  double x(int column) const { return column - half_width(); }
  double y(int row) const { return row - half_height(); }

  // D: half the diagonal of the box through the outermost pixel centres; the largest |rho| of a
  // line that meets the image, and the unit in which rho enters the embedding.
  VSMAX_HOST_DEVICE double half_diagonal() const {
    return 0.5 * std::hypot(static_cast<double>(width - 1), static_cast<double>(height - 1));
  }

  // The |rho| beyond which a line with this normal misses the box: h_x |cos| + h_y |sin| (Eq. 8).
  double reach(double cosine, double sine) const {
    return half_width() * std::abs(cosine) + half_height() * std::abs(sine);
  }

  friend bool operator==(const ImageFrame&, const ImageFrame&) = default;
};

}  // namespace vsmax
