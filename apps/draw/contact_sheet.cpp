// SPDX-License-Identifier: Apache-2.0
#include "draw/contact_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "draw/canvas.h"
#include "draw/line_colors.h"

namespace vsmax::drawing {
namespace {

constexpr int kGap = 4;

void paste(const RgbImage& image, int left, int top, RgbImage& sheet) {
  const auto bytes = 3 * static_cast<std::size_t>(image.width);
  for (int row = 0; row < image.height; ++row)
    std::copy_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(bytes) * row, bytes,
                sheet.pixels.begin() +
                    static_cast<std::ptrdiff_t>(3 * sheet.frame().index(left, top + row)));
}

}  // namespace

RgbImage contact_sheet(std::span<const RgbImage> images,
                       std::span<const std::vector<PixelLine>> lines) {
  if (images.empty()) return {1, 1};
  const ImageFrame size = images.front().frame();
  const auto count = static_cast<int>(images.size());
  const double wide = std::sqrt(count * static_cast<double>(size.height) / size.width);
  const int columns = std::clamp(static_cast<int>(std::lround(1.2 * wide)), 1, count);
  const int rows = (count + columns - 1) / columns;
  RgbImage sheet(columns * (size.width + kGap) - kGap, rows * (size.height + kGap) - kGap);
  for (int i = 0; i < count; ++i) {
    RgbImage image = images[static_cast<std::size_t>(i)];
    const auto at = [&](const std::array<double, 2>& point) {
      return Point{point[0] + 0.5 * size.width, point[1] + 0.5 * size.height};
    };
    for (const PixelLine& line : lines[static_cast<std::size_t>(i)])
      if (const auto seen = visible_segment(line, size))
        draw_line(image, at(seen->begin), at(seen->end), {line_color(0), 1.2, 0.8});
    paste(image, (i % columns) * (size.width + kGap), (i / columns) * (size.height + kGap), sheet);
  }
  return sheet;
}

}  // namespace vsmax::drawing
