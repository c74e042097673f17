// SPDX-License-Identifier: Apache-2.0
// Drawing on pixels.
#pragma once

#include <array>
#include <cstdint>

#include "vsmax/image/image_file.h"

namespace vsmax::drawing {

using Color = std::array<std::uint8_t, 3>;  // red, green, blue

// Pixel (column, row) covers [column, column + 1) x [row, row + 1), so its centre is at one half.
struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Stroke {
  Color color{};
  double width = 1.0;
  double opacity = 1.0;
};

// 0 becomes black, 1 white.
RgbImage gray_picture(const GrayImage& image);

// Anti-aliased, with round ends, so that a line from a point to itself is a disc. Whatever lies
// outside the picture is not drawn.
void draw_line(RgbImage& picture, Point begin, Point end, const Stroke& stroke);

}  // namespace vsmax::drawing
