// SPDX-License-Identifier: Apache-2.0
#include "vsmax/image/exif.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace vsmax {
namespace {

constexpr std::array<std::uint8_t, 6> kExifMagic = {'E', 'x', 'i', 'f', 0, 0};
constexpr std::uint32_t kTiffVersion = 42;
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShortType = 3;
constexpr std::size_t kEntryBytes = 12;
constexpr int kUpright = 1;

// A TIFF block in either byte order; reading past its end returns nullopt.
class TiffBlock {
 public:
  TiffBlock(std::span<const std::uint8_t> bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  std::optional<std::uint32_t> u16(std::size_t offset) const { return number(offset, 2); }
  std::optional<std::uint32_t> u32(std::size_t offset) const { return number(offset, 4); }

 private:
  std::optional<std::uint32_t> number(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value = (value << 8) | bytes_[offset + (big_endian_ ? i : count - 1 - i)];
    }
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  bool big_endian_;
};

template <class Image>
Image turned(Image stored, int orientation) {
  if (orientation < 2 || orientation > 8) return stored;
  const bool transpose = orientation >= 5;
  const bool mirror_x =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool mirror_y =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image upright(transpose ? stored.height : stored.width, transpose ? stored.width : stored.height);
  auto to = upright.pixels.begin();
  for (int y = 0; y < upright.height; ++y) {
    for (int x = 0; x < upright.width; ++x) {
      const int column = transpose ? y : x;
      const int row = transpose ? x : y;
      const std::size_t from = stored.frame().index(mirror_x ? stored.width - 1 - column : column,
                                                    mirror_y ? stored.height - 1 - row : row);
      to = std::copy_n(stored.pixels.begin() + static_cast<std::ptrdiff_t>(Image::kChannels * from),
                       Image::kChannels, to);
    }
  }
  return upright;
}

}  // namespace

int exif_orientation(std::span<const std::uint8_t> app1) {
  if (app1.size() < kExifMagic.size() + 2 ||
      !std::equal(kExifMagic.begin(), kExifMagic.end(), app1.begin())) {
    return kUpright;
  }
  const auto bytes = app1.subspan(kExifMagic.size());
  const bool big_endian = bytes[0] == 'M' && bytes[1] == 'M';
  if (!big_endian && !(bytes[0] == 'I' && bytes[1] == 'I')) return kUpright;

  const TiffBlock tiff(bytes, big_endian);
  const std::optional<std::uint32_t> directory = tiff.u32(4);
  if (tiff.u16(2) != kTiffVersion || !directory) return kUpright;
  const std::size_t entries = tiff.u16(*directory).value_or(0);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = *directory + 2 + i * kEntryBytes;
    if (tiff.u16(entry) != kOrientationTag) continue;
    const std::uint32_t value = tiff.u16(entry + 8).value_or(0);
    const bool sensible =
        tiff.u16(entry + 2) == kShortType && tiff.u32(entry + 4) == 1U && value >= 1 && value <= 8;
    return sensible ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

GrayImage make_upright(GrayImage stored, int orientation) {
  return turned(std::move(stored), orientation);
}
RgbImage make_upright(RgbImage stored, int orientation) {
  return turned(std::move(stored), orientation);
}

}  // namespace vsmax
