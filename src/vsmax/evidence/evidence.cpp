// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/evidence.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/base/finite.h"

namespace vsmax {
namespace {

// The size of an image that has been shrunk to fit into the frame.
ImageFrame fitted(const ImageFrame& image, const ImageFrame& frame) {
  const double shrink = std::max({1.0, static_cast<double>(image.width) / frame.width,
                                  static_cast<double>(image.height) / frame.height});
  return {std::max(1, static_cast<int>(std::lround(image.width / shrink))),
          std::max(1, static_cast<int>(std::lround(image.height / shrink)))};
}

}  // namespace

void require_extent(const ImageFrame& size) {
  if (size.width < 2 || size.height < 2)
    throw Error("an image of " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                " pixels is too small to hold a line: 2x2 is the least");
}

void require_finite(std::span<const float> pixels, const ImageFrame& size) {
  if (all_finite(pixels)) return;
  const auto width = static_cast<std::size_t>(size.width);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (!std::isfinite(pixels[i]))
      throw Error("pixel (" + std::to_string(i % width) + ", " + std::to_string(i / width) +
                  ") is " + std::to_string(pixels[i]) + ": an image must be finite");
}

PixelLine Placement::image_from_work(PixelLine line) const {
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const double a = c * scale_x;
  const double b = s * scale_y;
  const double length = std::hypot(a, b);
  return canonical(PixelLine{std::atan2(b, a), (line.rho - c * shift_x - s * shift_y) / length});
}

Evidence EvidenceStage::operator()(const ImageView& image, const std::optional<ImageFrame>& frame,
                                   bool negative) {
  const ImageFrame& size = image.frame();
  require_extent(size);
  const float* floats = image.contiguous_floats();
  if (floats == nullptr || negative) {
    converted_.resize(size.pixels());
    image.copy_to(converted_.data());
    if (negative)
      for (float& value : converted_) value = 1.0F - value;
    floats = converted_.data();
  }
  const std::span<const float> pixels(floats, size.pixels());
  require_finite(pixels, size);
  if (!frame || *frame == size) return {size, pixels, pixels, {}, {}};

  const ImageFrame content = fitted(size, *frame);
  if (!(content == size)) average_(pixels, size, content, reduced_);
  const std::span<const float> inner = content == size ? pixels : std::span<const float>(reduced_);
  const int left = (frame->width - content.width) / 2;
  const int top = (frame->height - content.height) / 2;
  placed_.assign(frame->pixels(), 0.0F);
  for (int row = 0; row < content.height; ++row)
    std::copy_n(inner.begin() + static_cast<std::ptrdiff_t>(content.index(0, row)), content.width,
                placed_.begin() + static_cast<std::ptrdiff_t>(frame->index(left, top + row)));
  return {
      *frame,
      placed_,
      pixels,
      {static_cast<double>(content.width) / size.width,
       static_cast<double>(content.height) / size.height,
       left + 0.5 * (content.width - frame->width), top + 0.5 * (content.height - frame->height)},
      {}};
}

}  // namespace vsmax
