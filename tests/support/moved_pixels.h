// SPDX-License-Identifier: Apache-2.0
// An image, or anything else with a value per pixel, mirrored and turned by 90 degrees.
#pragma once

#include <utility>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::test {

// (x, y) -> (-x, y).
template <class Value>
std::vector<Value> mirrored(const std::vector<Value>& pixels, const ImageFrame& frame) {
  std::vector<Value> result(pixels.size());
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      result[frame.index(frame.width - 1 - x, y)] = pixels[frame.index(x, y)];
  return result;
}

// (x, y) -> (-y, x), so that width and height change places.
template <class Value>
std::vector<Value> turned(const std::vector<Value>& pixels, const ImageFrame& frame) {
  const ImageFrame upright{frame.height, frame.width};
  std::vector<Value> result(pixels.size());
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      result[upright.index(frame.height - 1 - y, x)] = pixels[frame.index(x, y)];
  return result;
}

inline GrayImage mirrored(const GrayImage& image) {
  GrayImage result(image.width, image.height);
  result.pixels = mirrored(image.pixels, image.frame());
  return result;
}

inline GrayImage turned(const GrayImage& image) {
  GrayImage result(image.height, image.width);
  result.pixels = turned(image.pixels, image.frame());
  return result;
}

}  // namespace vsmax::test
