// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/evidence.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/base/finite.h"

namespace vsmax {

void require_finite(const GrayImage& image) {
  const auto pixels = static_cast<std::size_t>(std::max(image.width, 0)) *
                      static_cast<std::size_t>(std::max(image.height, 0));
  if (image.pixels.size() != pixels)
    throw Error("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                " holds " + std::to_string(image.pixels.size()) + " pixels");
  if (all_finite(image.pixels.data(), pixels)) return;
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    if (!std::isfinite(image.pixels[i]))
      throw Error("pixel (" + std::to_string(i % static_cast<std::size_t>(image.width)) + ", " +
                  std::to_string(i / static_cast<std::size_t>(image.width)) + ") is " +
                  std::to_string(image.pixels[i]) + ": an image must be finite");
}

void require_extent(const GrayImage& image) {
  if (image.width < 2 || image.height < 2)
    throw Error("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                " pixels is too small to hold a line: 2x2 is the least");
}

GrayImage negative(GrayImage image) {
  for (float& value : image.pixels) value = 1.0F - value;
  return image;
}

PolarLine Placement::to_original(PolarLine line) const {
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const double a = c * scale_x;
  const double b = s * scale_y;
  const double length = std::hypot(a, b);
  return canonical({std::atan2(b, a), (line.rho - c * shift_x - s * shift_y) / length});
}

const PlacedImage& FramePlacer::operator()(const GrayImage& image, const ImageFrame& frame) {
  const double shrink = std::max({1.0, static_cast<double>(image.width) / frame.width,
                                  static_cast<double>(image.height) / frame.height});
  const int width = std::max(1, static_cast<int>(std::lround(image.width / shrink)));
  const int height = std::max(1, static_cast<int>(std::lround(image.height / shrink)));
  if (shrink > 1.0) average_(image, width, height, content_);
  const GrayImage& content = shrink > 1.0 ? content_ : image;

  const int left = (frame.width - width) / 2;
  const int top = (frame.height - height) / 2;
  GrayImage& whole = placed_.image;
  whole.width = frame.width;
  whole.height = frame.height;
  whole.pixels.assign(
      static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height), 0.0F);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      whole.at(left + column, top + row) = content.at(column, row);
  placed_.placement = {static_cast<double>(width) / image.width,
                       static_cast<double>(height) / image.height,
                       left + 0.5 * (width - frame.width), top + 0.5 * (height - frame.height)};
  return placed_;
}

PlacedImage place_in_frame(const GrayImage& image, const ImageFrame& frame) {
  return FramePlacer()(image, frame);
}

}  // namespace vsmax
