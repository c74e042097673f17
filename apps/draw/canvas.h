// SPDX-License-Identifier: Apache-2.0
// An RGB picture and the few shapes the tool draws on it. Shapes may reach over the edge; what lies
// outside is not drawn.
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

struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  int right() const { return x + width; }
  int bottom() const { return y + height; }
};

struct Stroke {
  Color color;
  double width = 1.0;
  double opacity = 1.0;
};

class Canvas {
 public:
  Canvas(int width, int height, Color background);

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  Color at(int column, int row) const;
  RgbImage take() && { return std::move(image_); }

  void set(int column, int row, Color color) { blend(column, row, color, 1.0); }
  void blend(int column, int row, Color color, double opacity);
  void fill(const Rect& area, Color color, double opacity = 1.0);
  void outline(const Rect& area, Color color);  // one pixel wide, inside the area

  // Anti-aliased by the distance from the pixel's centre; lines have round ends.
  void line(Point begin, Point end, const Stroke& stroke);
  void ring(Point center, double radius, const Stroke& stroke);
  void disc(Point center, double radius, Color color);

  // Lays the picture with its top left corner at (x, y).
  void paste(const Canvas& picture, int x, int y);

 private:
  // Blends the color where distance(pixel centre) is below `reach`, softly over one pixel. Only
  // the box from `low` to `high` is visited.
  template <class Distance>
  void stamp(Point low, Point high, double reach, const Stroke& stroke, const Distance& distance);

  RgbImage image_;
};

}  // namespace vsmax::drawing
