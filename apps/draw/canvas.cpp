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

std::uint8_t byte_from_gray(float value) {
  if (!(value > 0.0F)) return 0;
  return static_cast<std::uint8_t>(std::lround(255.0F * std::min(value, 1.0F)));
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

Canvas::Canvas(const GrayImage& image) : image_(image.width, image.height) {
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    std::fill_n(image_.pixels.data() + 3 * i, 3, byte_from_gray(image.pixels[i]));
}

Color Canvas::at(int column, int row) const {
  const std::size_t i = offset_of(image_, column, row);
  return {image_.pixels[i], image_.pixels[i + 1], image_.pixels[i + 2]};
}

void Canvas::blend(int column, int row, Color color, double opacity) {
  std::uint8_t* pixel = image_.pixels.data() + offset_of(image_, column, row);
  pixel[0] = mix(pixel[0], color.red, opacity);
  pixel[1] = mix(pixel[1], color.green, opacity);
  pixel[2] = mix(pixel[2], color.blue, opacity);
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
  const double reach = 0.5 * stroke.width;
  const int right = pixel_within(std::max(begin.x, end.x) + reach + 2.0, width());
  const int bottom = pixel_within(std::max(begin.y, end.y) + reach + 2.0, height());
  const int left = pixel_within(std::min(begin.x, end.x) - reach - 1.0, width());
  const int top = pixel_within(std::min(begin.y, end.y) - reach - 1.0, height());
  for (int row = top; row < bottom; ++row)
    for (int column = left; column < right; ++column) {
      const double inside = reach + 0.5 - distance(column + 0.5, row + 0.5);
      if (inside > 0.0) blend(column, row, stroke.color, stroke.opacity * std::min(inside, 1.0));
    }
}

}  // namespace vsmax::drawing
