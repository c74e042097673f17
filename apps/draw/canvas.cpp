// SPDX-License-Identifier: Apache-2.0
#include "draw/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vsmax::drawing {

namespace {

std::size_t offset_of(const RgbImage& image, int column, int row) {
  return 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
              static_cast<std::size_t>(column));
}

std::uint8_t mix(std::uint8_t below, std::uint8_t above, double opacity) {
  return static_cast<std::uint8_t>(std::lround(below + opacity * (above - below)));
}

// Safe for coordinates far beyond the range of int.
int pixel_within(double coordinate, int size) {
  return static_cast<int>(std::clamp(std::floor(coordinate), 0.0, static_cast<double>(size)));
}

bool is_finite(Point point) { return std::isfinite(point.x) && std::isfinite(point.y); }

}  // namespace

Canvas::Canvas(int width, int height, Color background) : image_(width, height) {
  fill({0, 0, width, height}, background);
}

Color Canvas::at(int column, int row) const {
  const std::size_t i = offset_of(image_, column, row);
  return {image_.pixels[i], image_.pixels[i + 1], image_.pixels[i + 2]};
}

void Canvas::blend(int column, int row, Color color, double opacity) {
  if (column < 0 || row < 0 || column >= width() || row >= height()) return;
  std::uint8_t* pixel = image_.pixels.data() + offset_of(image_, column, row);
  pixel[0] = mix(pixel[0], color.red, opacity);
  pixel[1] = mix(pixel[1], color.green, opacity);
  pixel[2] = mix(pixel[2], color.blue, opacity);
}

void Canvas::fill(const Rect& area, Color color, double opacity) {
  for (int row = std::max(area.y, 0); row < std::min(area.bottom(), height()); ++row)
    for (int column = std::max(area.x, 0); column < std::min(area.right(), width()); ++column)
      blend(column, row, color, opacity);
}

void Canvas::outline(const Rect& area, Color color) {
  fill({area.x, area.y, area.width, 1}, color);
  fill({area.x, area.bottom() - 1, area.width, 1}, color);
  fill({area.x, area.y, 1, area.height}, color);
  fill({area.right() - 1, area.y, 1, area.height}, color);
}

template <class Distance>
void Canvas::stamp(Point low, Point high, double reach, const Stroke& stroke,
                   const Distance& distance) {
  const int right = pixel_within(high.x + reach + 2.0, width());
  const int bottom = pixel_within(high.y + reach + 2.0, height());
  for (int row = pixel_within(low.y - reach - 1.0, height()); row < bottom; ++row)
    for (int column = pixel_within(low.x - reach - 1.0, width()); column < right; ++column) {
      const double inside = reach + 0.5 - distance(column + 0.5, row + 0.5);
      if (inside > 0.0) blend(column, row, stroke.color, stroke.opacity * std::min(inside, 1.0));
    }
}

void Canvas::line(Point begin, Point end, const Stroke& stroke) {
  if (!is_finite(begin) || !is_finite(end)) return;
  const double dx = end.x - begin.x;
  const double dy = end.y - begin.y;
  const double squared_length = dx * dx + dy * dy;
  const auto distance = [&](double x, double y) {
    const double along = (x - begin.x) * dx + (y - begin.y) * dy;
    const double s = squared_length > 0.0 ? std::clamp(along / squared_length, 0.0, 1.0) : 0.0;
    return std::hypot(x - begin.x - s * dx, y - begin.y - s * dy);
  };
  stamp({std::min(begin.x, end.x), std::min(begin.y, end.y)},
        {std::max(begin.x, end.x), std::max(begin.y, end.y)}, 0.5 * stroke.width, stroke, distance);
}

void Canvas::ring(Point center, double radius, const Stroke& stroke) {
  if (!is_finite(center)) return;
  stamp({center.x - radius, center.y - radius}, {center.x + radius, center.y + radius},
        0.5 * stroke.width, stroke, [&](double x, double y) {
          return std::abs(std::hypot(x - center.x, y - center.y) - radius);
        });
}

void Canvas::disc(Point center, double radius, Color color) {
  line(center, center, {color, 2.0 * radius});
}

void Canvas::paste(const Canvas& picture, int x, int y) {
  for (int row = 0; row < picture.height(); ++row)
    for (int column = 0; column < picture.width(); ++column)
      set(x + column, y + row, picture.at(column, row));
}

}  // namespace vsmax::drawing
