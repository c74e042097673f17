// SPDX-License-Identifier: Apache-2.0
#include "draw/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vsmax::drawing {
namespace {

// Safe for coordinates far beyond the range of int.
int pixel_within(double coordinate, int size) {
  return static_cast<int>(std::clamp(std::floor(coordinate), 0.0, static_cast<double>(size)));
}

bool is_finite(Point point) { return std::isfinite(point.x) && std::isfinite(point.y); }

}  // namespace

RgbImage gray_picture(const GrayImage& image) {
  RgbImage picture(image.width, image.height);
  std::uint8_t* next = picture.pixels.data();
  for (const float value : image.pixels) {
    const float clipped = value > 0.0F ? std::min(value, 1.0F) : 0.0F;  // NaN becomes black
    next = std::fill_n(next, 3, static_cast<std::uint8_t>(std::lround(255.0F * clipped)));
  }
  return picture;
}

void draw_line(RgbImage& picture, Point begin, Point end, const Stroke& stroke) {
  if (!is_finite(begin) || !is_finite(end)) return;
  const double dx = end.x - begin.x;
  const double dy = end.y - begin.y;
  const double squared_length = dx * dx + dy * dy;
  const auto distance = [&](double x, double y) {
    const double along = (x - begin.x) * dx + (y - begin.y) * dy;
    const double s = squared_length > 0.0 ? std::clamp(along / squared_length, 0.0, 1.0) : 0.0;
    return std::hypot(x - begin.x - s * dx, y - begin.y - s * dy);
  };
  const double reach = 0.5 * stroke.width + 0.5;
  const int left = pixel_within(std::min(begin.x, end.x) - reach, picture.width);
  const int right = pixel_within(std::max(begin.x, end.x) + reach + 1.0, picture.width);
  const int top = pixel_within(std::min(begin.y, end.y) - reach, picture.height);
  const int bottom = pixel_within(std::max(begin.y, end.y) + reach + 1.0, picture.height);
  for (int row = top; row < bottom; ++row)
    for (int column = left; column < right; ++column) {
      const double inside = reach - distance(column + 0.5, row + 0.5);
      if (inside <= 0.0) continue;
      const double opacity = stroke.opacity * std::min(inside, 1.0);
      std::uint8_t* pixel =
          picture.pixels.data() + 3 * (static_cast<std::ptrdiff_t>(row) * picture.width + column);
      for (const std::uint8_t above : stroke.color) {
        *pixel = static_cast<std::uint8_t>(std::lround(*pixel + opacity * (above - *pixel)));
        ++pixel;
      }
    }
}

}  // namespace vsmax::drawing
