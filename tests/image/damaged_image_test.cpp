// SPDX-License-Identifier: Apache-2.0
// Files that are not what they should be: an Error with one clear sentence, and never a crash.
#include <gtest/gtest.h>

#include <random>

#include "image/image_fixtures.h"
#include "vsmax/base/error.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using testing::Bytes;
using testing::JpegSpec;
using testing::make_jpeg;
using testing::make_png;
using testing::message_of;
using testing::PngSpec;
using testing::TemporaryFolder;

std::string decode_error(const Bytes& bytes) {
  return message_of<Error>([&] { decode_image(bytes, "photo"); });
}

PngSpec small_png(bool interlaced) {
  PngSpec spec{10, 7, PNG_COLOR_TYPE_RGB_ALPHA, 8, {}, interlaced};
  for (int i = 0; i < 10 * 7 * 4; ++i) spec.samples.push_back(static_cast<std::uint16_t>(i % 256));
  return spec;
}

JpegSpec small_jpeg(bool progressive) {
  JpegSpec spec{20, 18, JCS_RGB, JCS_YCbCr};
  for (int i = 0; i < 20 * 18 * 3; ++i) {
    spec.samples.push_back(static_cast<std::uint8_t>((i * i / 7 + i * 5) % 256));
  }
  spec.progressive = progressive;
  return spec;
}

std::vector<Bytes> small_files() {
  return {make_png(small_png(false)), make_png(small_png(true)), make_jpeg(small_jpeg(false)),
          make_jpeg(small_jpeg(true))};
}

TEST(DamagedImage, EveryTruncationIsAnError) {
  for (const Bytes& whole : small_files()) {
    ASSERT_EQ(decode_error(whole), "");
    const bool is_png = whole[0] == 0x89;
    const std::size_t magic = is_png ? 8 : 3;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const std::string expected =
          size == 0      ? "photo: the file is empty"
          : size < magic ? "photo: not a PNG or JPEG image"
          : is_png
              ? "photo: truncated PNG (the file ends after " + std::to_string(size) + " bytes)"
              : "photo: truncated JPEG (the file ends after " + std::to_string(size) + " bytes)";
      ASSERT_EQ(decode_error(part), expected) << size << " of " << whole.size();
    }
  }
}

TEST(DamagedImage, RandomByteChangesNeverCrash) {
  std::mt19937 random(20240229);
  for (const Bytes& whole : small_files()) {
    for (int round = 0; round < 2000; ++round) {
      Bytes damaged = whole;
      const std::size_t changes = 1 + random() % 4;
      for (std::size_t i = 0; i < changes; ++i) {
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
      }
      try {
        const GrayImage image = decode_image(damaged, "photo");
        ASSERT_GE(image.width, 1);
        ASSERT_GE(image.height, 1);
        for (const float value : image.pixels) {
          ASSERT_GE(value, 0.0F);
          ASSERT_LE(value, 1.0F);
        }
      } catch (const Error& error) {
        ASSERT_EQ(std::string(error.what()).rfind("photo: ", 0), 0U) << error.what();
      }
    }
  }
}

// Changes every byte of a PNG: its checksums notice all of them.
TEST(DamagedImage, EveryChangedPngByteIsAnError) {
  const Bytes whole = make_png(small_png(false));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x01U;
    EXPECT_NE(decode_error(damaged), "") << i;
  }
}

TEST(DamagedImage, OversizePngIsRefusedFromItsHeader) {
  // A valid IHDR, with its CRC, is all it takes: libpng writes one for us.
  PngSpec spec{40000, 1, PNG_COLOR_TYPE_GRAY, 1};
  spec.samples.assign(40000, 0);
  Bytes bytes = make_png(spec);
  bytes[22] = 0x9C;  // height 40000
  bytes[23] = 0x40;
  // CRC-32 of the chunk's type and data, bit by bit.
  std::uint32_t crc = 0xFFFFFFFFU;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320U & (0U - (crc & 1U)));
  }
  crc = ~crc;
  for (std::size_t i = 0; i < 4; ++i)
    bytes[29 + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
  EXPECT_EQ(decode_error(bytes), "photo: 40000x40000 pixels exceed the limit of 268435456");
}

TEST(DamagedImage, OversizeJpegIsRefusedFromItsHeader) {
  Bytes bytes = make_jpeg(small_jpeg(false));
  std::size_t frame = 0;
  while (bytes[frame] != 0xFF || bytes[frame + 1] != 0xC0) ++frame;
  for (const std::size_t field : {frame + 5, frame + 7}) {
    bytes[field] = 0x9C;
    bytes[field + 1] = 0x40;
  }
  EXPECT_EQ(decode_error(bytes), "photo: 40000x40000 pixels exceed the limit of 268435456");
}

// A scan can be repeated for a few bytes, yet each costs a pass over the image.
TEST(DamagedImage, JpegWithTooManyScansIsRefused) {
  JpegSpec spec = small_jpeg(false);
  spec.separate_scans = true;
  const Bytes whole = make_jpeg(spec);
  std::size_t first = 0;
  while (whole[first] != 0xFF || whole[first + 1] != 0xDA) ++first;
  std::size_t second = first + 2;
  while (whole[second] != 0xFF || whole[second + 1] == 0) ++second;
  const auto scan_start = whole.begin() + static_cast<std::ptrdiff_t>(first);
  const auto scan_end = whole.begin() + static_cast<std::ptrdiff_t>(second);
  const auto with_copies = [&](int copies) {
    Bytes bytes(whole.begin(), scan_start);
    for (int i = 0; i < copies; ++i) bytes.insert(bytes.end(), scan_start, scan_end);
    bytes.insert(bytes.end(), scan_end, whole.end());
    return bytes;
  };
  EXPECT_EQ(decode_error(with_copies(400)), "");
  EXPECT_EQ(decode_error(with_copies(600)),
            "photo: damaged or unsupported JPEG (more than 500 scans)");
}

TEST(DamagedImage, JpegDataWarningsAreErrors) {
  Bytes holed = make_jpeg(small_jpeg(false));
  holed.erase(holed.end() - 12, holed.end() - 2);  // the end marker comes too soon
  EXPECT_NE(decode_error(holed).find("damaged or unsupported JPEG"), std::string::npos);
}

TEST(DamagedImage, StrayBytesBetweenJpegMarkersAreHarmless) {
  const Bytes whole = make_jpeg(small_jpeg(false));
  Bytes padded = whole;
  padded.insert(padded.end() - 2, 5, 0x11);  // as some cameras write them; no pixel is missing
  Bytes trailing = whole;
  trailing.insert(trailing.end(), 100, 0x11);
  for (const Bytes& bytes : {padded, trailing})
    EXPECT_EQ(decode_image(bytes, "photo").pixels, decode_image(whole, "photo").pixels);
}

TEST(DamagedImage, JpegOfTwoComponentsIsUnsupported) {
  JpegSpec spec{8, 8, JCS_UNKNOWN, JCS_UNKNOWN};
  spec.samples.assign(8 * 8 * 2, 50);
  EXPECT_EQ(decode_error(make_jpeg(spec)),
            "photo: JPEG with an unsupported colour space of 2 components");
}

TEST(DamagedImage, FormatIsRecognisedByContentNotName) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("really_a_png.jpg"), make_png(small_png(false)));
  write_file_atomically(folder.file("really_a_jpeg.png"), make_jpeg(small_jpeg(false)));
  EXPECT_EQ(read_image(folder.file("really_a_png.jpg")).width, 10);
  EXPECT_EQ(read_image(folder.file("really_a_jpeg.png")).width, 20);
}

TEST(DamagedImage, WhatIsNoImageSaysSo) {
  const TemporaryFolder folder;
  const auto read_error = [](const std::string& path) {
    return message_of<Error>([&] { read_image(path); });
  };
  const std::string empty = folder.file("empty.png");
  write_file_atomically(empty, std::string());
  EXPECT_EQ(read_error(empty), empty + ": the file is empty");
  const std::string text = folder.file("text.png");
  write_file_atomically(text, std::string("hello, I am a text"));
  EXPECT_EQ(read_error(text), text + ": not a PNG or JPEG image");
  const std::string missing = folder.file("missing.png");
  EXPECT_EQ(read_error(missing), missing + ": cannot be read (No such file or directory)");
  EXPECT_EQ(read_error(folder.path()), folder.path() + ": is a directory, not a file");
}

}  // namespace
}  // namespace vsmax
