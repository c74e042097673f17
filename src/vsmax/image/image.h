// SPDX-License-Identifier: Apache-2.0
// Images in memory, and the files they come from and go to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vsmax {

// No image with more pixels than this is ever allocated; a file's header is checked against it.
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

// Grey values, row by row from the top; files decode to [0, 1].
struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<float> pixels;

  GrayImage() = default;
  GrayImage(int w, int h, float value = 0.0F)
      : width(w),
        height(h),
        pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), value) {}

  float& at(int column, int row) { return pixels[index(column, row)]; }
  float at(int column, int row) const { return pixels[index(column, row)]; }

 private:
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }
};

// 8-bit RGB, interleaved, row by row from the top: what pictures are drawn on.
struct RgbImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  RgbImage() = default;
  RgbImage(int w, int h)
      : width(w),
        height(h),
        pixels(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h), 0) {}
};

// Decodes a PNG (grey, RGB, palette, alpha; 1 to 16 bits) or JPEG (grey, YCbCr, RGB, CMYK, YCCK)
// by its content, never by its name. Colour becomes Rec. 601 luma; 16 bits are kept; alpha is laid
// over black; a JPEG's EXIF orientation is applied. Throws Error whose message starts with `name`.
GrayImage decode_image(std::span<const std::uint8_t> bytes, const std::string& name);

// Reads the file, or standard input for "-", and decodes it.
GrayImage read_image(const std::string& path);

// Written to a temporary file beside `path`, synced, then renamed: a reader never sees half a file.
// Grey values are clipped to [0, 1] and rounded to 8 or 16 bits.
void write_png(const std::string& path, const GrayImage& image, int bits = 8);
void write_png(const std::string& path, const RgbImage& image);

}  // namespace vsmax
