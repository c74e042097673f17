// SPDX-License-Identifier: Apache-2.0
#include "draw/line_picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/resample.h"
#include "draw/text_layout.h"
#include "draw/theme.h"

namespace vsmax::drawing {

namespace {

constexpr double kWidthPerSide = 0.0045;
constexpr double kLeastWidth = 1.8;

std::uint8_t byte_from_gray(float value) {
  if (!(value > 0.0F)) return 0;
  return static_cast<std::uint8_t>(std::lround(255.0F * std::min(value, 1.0F)));
}

}  // namespace

Canvas gray_picture(const GrayImage& image, int width, int height) {
  const GrayImage sized = resample(image, width, height);
  Canvas picture(width, height, {});
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const std::uint8_t gray = byte_from_gray(sized.at(column, row));
      picture.set(column, row, {gray, gray, gray});
    }
  return picture;
}

Point position_in_picture(const ImageFrame& frame, int width, int height,
                          std::array<double, 2> point) {
  return {(point[0] + 0.5 * frame.width) * width / frame.width,
          (point[1] + 0.5 * frame.height) * height / frame.height};
}

double line_width_for(int width, int height) {
  return std::max(kLeastWidth, kWidthPerSide * std::sqrt(static_cast<double>(width) * height));
}

void draw_lines(Canvas& picture, const ImageFrame& frame, const Recovery& recovery) {
  const double width = line_width_for(picture.width(), picture.height());
  for (const RecoveredLine& found : recovery.lines) {
    if (!found.visible) continue;
    // The visible segment ends at the outermost pixel centres; in an enlarged picture that is well
    // inside. Longer than the image in both directions, the line is cut by the picture's edge.
    const std::array<double, 2> middle = found.visible->midpoint();
    const double far = 2.0 * (frame.width + frame.height);
    const double dx = -far * std::sin(found.line.theta);
    const double dy = far * std::cos(found.line.theta);
    const auto end = [&](double sign) {
      return position_in_picture(frame, picture.width(), picture.height(),
                                 {middle[0] + sign * dx, middle[1] + sign * dy});
    };
    haloed_line(picture, end(-1.0), end(1.0), width);
  }
}

std::vector<std::string> describe(const Recovery& recovery) {
  if (recovery.lines.empty()) return {"no line"};
  const RecoveredLine& first = recovery.lines.front();
  std::vector<std::string> items{
      "theta " + fixed(first.line.theta * 180.0 / std::numbers::pi, 2) + " deg",
      "rho " + fixed(first.line.rho, 2) + " px", "confidence " + fixed(first.confidence, 2)};
  if (!first.visible) items.emplace_back("outside the image");
  if (recovery.lines.size() > 1)
    items.push_back("(first of " + std::to_string(recovery.lines.size()) + " lines)");
  return items;
}

}  // namespace vsmax::drawing
