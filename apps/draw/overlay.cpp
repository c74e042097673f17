// SPDX-License-Identifier: Apache-2.0
#include "draw/overlay.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "draw/font.h"
#include "draw/line_picture.h"
#include "draw/text_layout.h"
#include "draw/theme.h"

namespace vsmax::drawing {

namespace {

constexpr int kEnlargedSide = 640;
constexpr int kLargestSide = 1600;
constexpr int kSideForLargeText = 1000;
constexpr int kPadding = 10;  // around the caption, times the text's scale
constexpr const char* kSeparator = "    ";

}  // namespace

OverlaySize overlay_size(const GrayImage& image, const Recovery& recovery) {
  OverlaySize size;
  const int side = std::max({image.width, image.height, 1});
  if (side <= kLargestSide) {
    const int factor = std::max(1, kEnlargedSide / side);
    size.image_width = factor * image.width;
    size.image_height = factor * image.height;
  } else {
    const double factor = static_cast<double>(kLargestSide) / side;
    size.image_width = std::max(1, static_cast<int>(std::lround(factor * image.width)));
    size.image_height = std::max(1, static_cast<int>(std::lround(factor * image.height)));
  }
  size.text_scale = size.image_width >= kSideForLargeText ? 2 : 1;
  size.width = size.image_width;
  for (const std::string& item : describe(recovery))
    size.width =
        std::max(size.width, text_width(item, size.text_scale) + 2 * kPadding * size.text_scale);
  size.x = (size.width - size.image_width) / 2;
  return size;
}

RgbImage draw_overlay(const GrayImage& image, const Recovery& recovery) {
  const OverlaySize size = overlay_size(image, recovery);
  const int padding = kPadding * size.text_scale;
  const int line_height = kLineHeight * size.text_scale;
  const std::vector<std::string> lines =
      flow(describe(recovery), kSeparator, size.width - 2 * padding, size.text_scale);
  const int strip_height = 2 * padding + kCapitalHeight * size.text_scale +
                           (static_cast<int>(lines.size()) - 1) * line_height;

  Canvas canvas(size.width, size.image_height + strip_height, kPaper);
  canvas.fill({0, 0, size.width, size.image_height}, kMount);
  Canvas picture = gray_picture(image, size.image_width, size.image_height);
  draw_lines(picture, {image.width, image.height}, recovery);
  canvas.paste(picture, size.x, 0);

  canvas.fill({0, size.image_height, size.width, 1}, kFrame);
  int y = size.image_height + padding;
  for (const std::string& line : lines) {
    draw_text(canvas, padding, y, line, kInk, size.text_scale);
    y += line_height;
  }
  return std::move(canvas).take();
}

}  // namespace vsmax::drawing
