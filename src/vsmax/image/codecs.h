// SPDX-License-Identifier: Apache-2.0
// Shared by the PNG and JPEG decoders. Internal; users include image_file.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vsmax/image/image_file.h"

namespace vsmax {

// For GrayImage and RgbImage. Both expect bytes that begin with the format's magic number.
template <class Image>
Image decode_png(std::span<const std::uint8_t> bytes, const std::string& name);
template <class Image>
Image decode_jpeg(std::span<const std::uint8_t> bytes, const std::string& name);

// Called with the size in a file's header, before anything of that size is allocated.
void check_image_size(std::uint64_t width, std::uint64_t height, const std::string& name);

// Rec. 601 luma over black, in [0, 1], of samples in [0, max]. Integers except for one division, so
// that r == g == b gives exactly the value that a grey file would.
inline float luma_over_black(std::uint64_t r, std::uint64_t g, std::uint64_t b, std::uint64_t alpha,
                             std::uint64_t max) {
  const std::uint64_t weighted = (299 * r + 587 * g + 114 * b) * alpha;
  return static_cast<float>(static_cast<double>(weighted) / static_cast<double>(1000 * max * max));
}

// A pixel's samples in [0, max]; put_pixel composites them onto black.
struct PixelSamples {
  std::uint64_t r, g, b, alpha, max;
};
inline void put_pixel(const PixelSamples& from, float* to) {
  *to = luma_over_black(from.r, from.g, from.b, from.alpha, from.max);
}
inline void put_pixel(const PixelSamples& from, std::uint8_t* to) {
  const std::uint64_t whole = from.max * from.max;
  const auto rounded = [&](std::uint64_t sample) {
    return static_cast<std::uint8_t>((510 * sample * from.alpha + whole) / (2 * whole));
  };
  to[0] = rounded(from.r);
  to[1] = rounded(from.g);
  to[2] = rounded(from.b);
}

}  // namespace vsmax
