// SPDX-License-Identifier: Apache-2.0
// An RGB picture to draw lines on. Whatever lies outside the picture is not drawn.
#pragma once

#include <cstdint>
#include <utility>

#include "vsmax/image/image_file.h"

namespace vsmax::drawing {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

// Pixel (column, row) covers [column, column + 1) x [row, row + 1), so its centre is at one half.
struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Stroke {
  Color color;
  double width = 1.0;
  double opacity = 1.0;
};

class Canvas {
 public:
  // The image in grey: 0 is black, 1 is white.
  explicit Canvas(const GrayImage& image);

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  Color at(int column, int row) const;
  RgbImage take() && { return std::move(image_); }

  // Anti-aliased, with round ends: a line from a point to itself is a disc.
  void line(Point begin, Point end, const Stroke& stroke);

 private:
  void blend(int column, int row, Color color, double opacity);

  RgbImage image_;
};

}  // namespace vsmax::drawing
