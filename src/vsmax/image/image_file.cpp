// SPDX-License-Identifier: Apache-2.0
#include "vsmax/image/image_file.h"

#include <algorithm>
#include <array>
#include <new>

#include "vsmax/base/error.h"
#include "vsmax/image/codecs.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

constexpr std::array<std::uint8_t, 8> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::array<std::uint8_t, 3> kJpegMagic = {0xFF, 0xD8, 0xFF};

bool starts_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

template <class Image>
Image decode(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (bytes.empty()) throw Error(name + ": the file is empty");
  try {
    if (starts_with(bytes, kPngMagic)) return decode_png<Image>(bytes, name);
    if (starts_with(bytes, kJpegMagic)) return decode_jpeg<Image>(bytes, name);
  } catch (const std::bad_alloc&) {
    throw Error(name + ": not enough memory to decode the image");
  }
  throw Error(name + ": not a PNG or JPEG image");
}

template <class Image>
Image read(const std::string& path) {
  return decode<Image>(read_file(path), name_of_file(path));
}

}  // namespace

void check_image_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
  // Both sides come from 32-bit header fields, so the product cannot overflow.
  if (width * height > kMaxPixels) {
    throw Error(name + ": " + std::to_string(width) + "x" + std::to_string(height) +
                " pixels exceed the limit of " + std::to_string(kMaxPixels));
  }
}

GrayImage decode_image(std::span<const std::uint8_t> bytes, const std::string& name) {
  return decode<GrayImage>(bytes, name);
}
RgbImage decode_rgb_image(std::span<const std::uint8_t> bytes, const std::string& name) {
  return decode<RgbImage>(bytes, name);
}

std::string name_of_file(const std::string& path) { return path == "-" ? "standard input" : path; }

bool is_deep_grey(std::span<const std::uint8_t> bytes) {
  // The header chunk comes first: length, name, width and height, four bytes each.
  constexpr std::size_t kDepth = kPngMagic.size() + 16;
  constexpr std::size_t kColourType = kDepth + 1;
  constexpr std::uint8_t kColour = 2;  // a bit of the colour type
  return starts_with(bytes, kPngMagic) && bytes.size() > kColourType && bytes[kDepth] == 16 &&
         (bytes[kColourType] & kColour) == 0;
}

GrayImage read_image(const std::string& path) { return read<GrayImage>(path); }
RgbImage read_rgb_image(const std::string& path) { return read<RgbImage>(path); }

}  // namespace vsmax
