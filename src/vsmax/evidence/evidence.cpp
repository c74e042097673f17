// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/evidence.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "vsmax/base/error.h"

namespace vsmax {

namespace {

// The share of source interval [i, i+1) in destination cell `cell` of length `step`.
double overlap(int i, int cell, double step) {
  return std::max(0.0, std::min(i + 1.0, (cell + 1) * step) - std::max<double>(i, cell * step));
}

// Averages along one axis: `lines` runs of `from` samples become runs of `to` samples.
std::vector<float> average_axis(const std::vector<float>& source, std::size_t lines,
                                std::size_t line_stride, std::size_t sample_stride, int from,
                                int to, std::size_t out_line_stride,
                                std::size_t out_sample_stride) {
  std::vector<float> result(lines * static_cast<std::size_t>(to));
  const double step = static_cast<double>(from) / to;
  for (int cell = 0; cell < to; ++cell) {
    const int begin = static_cast<int>(std::floor(cell * step));
    const int end = std::min(from, static_cast<int>(std::ceil((cell + 1) * step)));
    for (std::size_t line = 0; line < lines; ++line) {
      double sum = 0.0;
      for (int i = begin; i < end; ++i)
        sum += overlap(i, cell, step) *
               static_cast<double>(
                   source[line * line_stride + static_cast<std::size_t>(i) * sample_stride]);
      result[line * out_line_stride + static_cast<std::size_t>(cell) * out_sample_stride] =
          static_cast<float>(sum / step);
    }
  }
  return result;
}

}  // namespace

void require_finite(const GrayImage& image) {
  const auto pixels = static_cast<std::size_t>(std::max(image.width, 0)) *
                      static_cast<std::size_t>(std::max(image.height, 0));
  if (image.pixels.size() != pixels)
    throw Error("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                " holds " + std::to_string(image.pixels.size()) + " pixels");
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

PolarLine Placement::to_original(PolarLine line) const {
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const double a = c * scale_x;
  const double b = s * scale_y;
  const double length = std::hypot(a, b);
  return canonical({std::atan2(b, a), (line.rho - c * shift_x - s * shift_y) / length});
}

GrayImage area_average(const GrayImage& image, int width, int height) {
  const auto w = static_cast<std::size_t>(image.width);
  const auto narrow = static_cast<std::size_t>(width);
  const auto across = average_axis(image.pixels, static_cast<std::size_t>(image.height), w, 1,
                                   image.width, width, narrow, 1);
  GrayImage result;
  result.width = width;
  result.height = height;
  result.pixels = average_axis(across, narrow, 1, narrow, image.height, height, 1, narrow);
  return result;
}

PlacedImage place_in_frame(const GrayImage& image, const ImageFrame& frame) {
  const double shrink = std::max({1.0, static_cast<double>(image.width) / frame.width,
                                  static_cast<double>(image.height) / frame.height});
  const int width = std::max(1, static_cast<int>(std::lround(image.width / shrink)));
  const int height = std::max(1, static_cast<int>(std::lround(image.height / shrink)));
  const GrayImage content = shrink > 1.0 ? area_average(image, width, height) : image;

  PlacedImage placed{GrayImage(frame.width, frame.height), {}};
  const int left = (frame.width - width) / 2;
  const int top = (frame.height - height) / 2;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      placed.image.at(left + column, top + row) = content.at(column, row);
  placed.placement.scale_x = static_cast<double>(width) / image.width;
  placed.placement.scale_y = static_cast<double>(height) / image.height;
  placed.placement.shift_x = left + 0.5 * (width - frame.width);
  placed.placement.shift_y = top + 0.5 * (height - frame.height);
  return placed;
}

}  // namespace vsmax
