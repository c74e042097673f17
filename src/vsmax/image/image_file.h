// SPDX-License-Identifier: Apache-2.0
// Reading and writing image files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vsmax/image/gray_image.h"

namespace vsmax {

// Decodes a PNG (grey, RGB, palette, alpha; 1 to 16 bits) or JPEG (grey, YCbCr, RGB, CMYK, YCCK),
// recognised by its content. Colour becomes Rec. 601 luma; 16-bit precision is kept; transparent
// pixels are composited onto black; a JPEG's EXIF orientation is applied. Throws Error whose
// message starts with `name`.
GrayImage decode_image(std::span<const std::uint8_t> bytes, const std::string& name);

// The same in colour, rounded to 8 bits; a grey image has three equal channels.
RgbImage decode_rgb_image(std::span<const std::uint8_t> bytes, const std::string& name);

// Read the file, or standard input for "-", and decode it.
GrayImage read_image(const std::string& path);
RgbImage read_rgb_image(const std::string& path);

// Whether the file is a PNG of 16-bit grey values, which would lose precision as an RgbImage.
bool is_deep_grey(std::span<const std::uint8_t> bytes);

// Decodes an image for a model that sees colour or does not, and returns use(image), where the
// image is an RgbImage or a GrayImage. Colour has 8 bits; 16-bit grey values keep their precision.
template <class Use>
auto use_decoded(std::span<const std::uint8_t> bytes, const std::string& name, bool colour,
                 const Use& use) {
  return colour && !is_deep_grey(bytes) ? use(decode_rgb_image(bytes, name))
                                        : use(decode_image(bytes, name));
}

// What messages call the file: its path, or "standard input" for "-".
std::string name_of_file(const std::string& path);

// Write a file atomically (io/file.h): a reader never sees half a file. Grey values are clipped to
// [0, 1] and rounded to 8 or 16 bits.
void write_png(const std::string& path, const GrayImage& image, int bits = 8);
void write_png(const std::string& path, const RgbImage& image);

// The same PNG (8 bits) in memory.
std::vector<std::uint8_t> encode_png(const GrayImage& image);
std::vector<std::uint8_t> encode_png(const RgbImage& image);

}  // namespace vsmax
