// SPDX-License-Identifier: Apache-2.0
// Images that own their pixels, row by row from the top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/geometry/image_frame.h"

namespace vsmax {

// The most pixels of an image; a file's header is checked before anything is allocated.
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

// Grey values; files decode to [0, 1].
struct GrayImage {
  static constexpr std::size_t kChannels = 1;

  int width = 0;
  int height = 0;
  std::vector<float> pixels;

  GrayImage() = default;
  explicit GrayImage(ImageFrame size, float value = 0.0F)
      : width(size.width), height(size.height), pixels(size.pixels(), value) {}
  GrayImage(int w, int h, float value = 0.0F) : GrayImage(ImageFrame{w, h}, value) {}

  ImageFrame frame() const { return {width, height}; }
  float& at(int column, int row) { return pixels[frame().index(column, row)]; }
  float at(int column, int row) const { return pixels[frame().index(column, row)]; }
};

// 8-bit RGB, interleaved: for photographs and as a canvas to draw on.
struct RgbImage {
  static constexpr std::size_t kChannels = 3;

  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  RgbImage() = default;
  RgbImage(int w, int h) : width(w), height(h), pixels(3 * ImageFrame{w, h}.pixels(), 0) {}

  ImageFrame frame() const { return {width, height}; }
};

}  // namespace vsmax
