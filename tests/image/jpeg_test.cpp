// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "image/image_fixtures.h"
#include "vsmax/image/exif.h"
#include "vsmax/image/image_file.h"

namespace vsmax {
namespace {

using testing::Bytes;
using testing::JpegSpec;
using testing::make_jpeg;

constexpr int kBlock = 8;  // flat 8x8 blocks survive JPEG almost exactly

std::size_t block_index(int x, int y, int columns) {
  const int index = y / kBlock * columns + x / kBlock;
  return static_cast<std::size_t>(index);
}

// An image of `columns` x `rows` flat blocks, each of one colour.
JpegSpec blocks(int columns, int rows, const std::vector<Bytes>& colours) {
  JpegSpec spec{columns * kBlock, rows * kBlock};
  for (int y = 0; y < spec.height; ++y) {
    for (int x = 0; x < spec.width; ++x) {
      const Bytes& colour = colours[block_index(x, y, columns)];
      spec.samples.insert(spec.samples.end(), colour.begin(), colour.end());
    }
  }
  return spec;
}

// Expects flat blocks of these values, of 255, in the image.
void expect_blocks(const Bytes& file, int columns, int rows, const std::vector<double>& values,
                   double tolerance) {
  const GrayImage image = decode_image(file, "test");
  ASSERT_EQ(image.width, columns * kBlock);
  ASSERT_EQ(image.height, rows * kBlock);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const double value = values[block_index(x, y, columns)];
      ASSERT_NEAR(image.at(x, y) * 255.0, value, tolerance) << x << "," << y;
    }
  }
}

double gray_of(double r, double g, double b) { return 0.299 * r + 0.587 * g + 0.114 * b; }

TEST(Jpeg, GreySequentialAndProgressive) {
  for (const bool progressive : {false, true}) {
    JpegSpec spec = blocks(2, 1, {{10}, {240}});
    spec.progressive = progressive;
    expect_blocks(make_jpeg(spec), 2, 1, {10, 240}, 1.01);
  }
}

TEST(Jpeg, SizesThatAreNoWholeBlocks) {
  for (const auto& [width, height] : {std::pair(1, 1), {3, 17}, {9, 2}}) {
    JpegSpec spec{width, height};
    spec.samples.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 99);
    const GrayImage image = decode_image(make_jpeg(spec), "test");
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
    for (const float value : image.pixels) EXPECT_NEAR(value * 255.0F, 99.0F, 1.01F);
  }
}

TEST(Jpeg, YcbcrAndRgbGiveLuma) {
  for (const J_COLOR_SPACE stored : {JCS_YCbCr, JCS_RGB}) {
    JpegSpec spec = blocks(2, 2, {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {100, 150, 200}});
    spec.input = JCS_RGB;
    spec.stored = stored;
    spec.adobe_marker = stored == JCS_RGB;
    expect_blocks(
        make_jpeg(spec), 2, 2,
        {gray_of(255, 0, 0), gray_of(0, 255, 0), gray_of(0, 0, 255), gray_of(100, 150, 200)}, 1.6);
  }
}

TEST(Jpeg, CmykAndYcckPlainAndAdobeInverted) {
  // As amounts of ink: none, all black, pure cyan, a mixture.
  const std::vector<Bytes> inks = {{0, 0, 0, 0}, {0, 0, 0, 255}, {255, 0, 0, 0}, {40, 80, 120, 60}};
  const double k = 195.0 / 255.0;
  const std::vector<double> expected = {255, 0, gray_of(0, 255, 255),
                                        gray_of(215 * k, 175 * k, 135 * k)};
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    for (const bool adobe : {false, true}) {
      if (stored == JCS_YCCK && !adobe) continue;  // only the marker tells YCCK from CMYK
      std::vector<Bytes> samples = inks;
      for (Bytes& ink : samples) {
        for (std::uint8_t& value : ink) value = adobe ? static_cast<std::uint8_t>(~value) : value;
      }
      JpegSpec spec = blocks(2, 2, samples);
      spec.input = JCS_CMYK;
      spec.stored = stored;
      spec.adobe_marker = adobe;
      SCOPED_TRACE(std::to_string(stored) + (adobe ? " Adobe" : ""));
      expect_blocks(make_jpeg(spec), 2, 2, expected, 3.0);
    }
  }
}

TEST(Jpeg, InColourGivesItsColours) {
  const std::vector<Bytes> colours{{250, 10, 20}, {30, 200, 90}, {0, 0, 255}, {100, 150, 200}};
  for (const J_COLOR_SPACE stored : {JCS_YCbCr, JCS_RGB}) {
    JpegSpec spec = blocks(2, 2, colours);
    spec.input = JCS_RGB;
    spec.stored = stored;
    spec.adobe_marker = stored == JCS_RGB;
    const RgbImage image = decode_rgb_image(make_jpeg(spec), "test");
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_NEAR(image.pixels[3 * image.frame().index(x, y) + c],
                      colours[block_index(x, y, 2)][c], 3)
              << x << ", " << y << ", channel " << c;
  }
  const RgbImage gray = decode_rgb_image(make_jpeg(blocks(1, 1, {{99}})), "test");
  for (const std::uint8_t value : gray.pixels) EXPECT_NEAR(value, 99, 1);
  EXPECT_EQ(gray.pixels.size(), 192U);
}

void append(Bytes& bytes, std::uint32_t value, int count, bool big_endian) {
  for (int i = 0; i < count; ++i) {
    const int shift = 8 * (big_endian ? count - 1 - i : i);
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

// An APP1 payload whose first directory holds one other entry and then the orientation.
Bytes exif_block(std::uint32_t orientation, bool big_endian, std::uint32_t type = 3,
                 std::uint32_t count = 1, std::uint32_t directory = 8,
                 std::uint32_t declared_entries = 2) {
  const std::uint8_t order = big_endian ? 'M' : 'I';
  Bytes bytes = {'E', 'x', 'i', 'f', 0, 0, order, order};
  append(bytes, 42, 2, big_endian);
  append(bytes, directory, 4, big_endian);
  append(bytes, declared_entries, 2, big_endian);
  append(bytes, 0x0100, 2, big_endian);  // image width
  append(bytes, 4, 2, big_endian);
  append(bytes, 1, 4, big_endian);
  append(bytes, 6, 4, big_endian);
  append(bytes, 0x0112, 2, big_endian);
  append(bytes, type, 2, big_endian);
  append(bytes, count, 4, big_endian);
  append(bytes, orientation, 2, big_endian);
  append(bytes, 0, 2, big_endian);
  append(bytes, 0, 4, big_endian);  // no further directory
  return bytes;
}

TEST(Jpeg, EveryExifOrientationInBothByteOrders) {
  // Stored: a b c     Numbers are the grey values of the six blocks.
  //         d e f
  constexpr double a = 10;
  constexpr double b = 60;
  constexpr double c = 110;
  constexpr double d = 160;
  constexpr double e = 210;
  constexpr double f = 250;
  const std::array<std::vector<double>, 9> upright = {{{a, b, c, d, e, f},  // no EXIF at all
                                                       {a, b, c, d, e, f},
                                                       {c, b, a, f, e, d},
                                                       {f, e, d, c, b, a},
                                                       {d, e, f, a, b, c},
                                                       {a, d, b, e, c, f},
                                                       {d, a, e, b, f, c},
                                                       {f, c, e, b, d, a},
                                                       {c, f, b, e, a, d}}};
  for (std::uint32_t orientation = 0; orientation <= 8; ++orientation) {
    for (const bool big_endian : {false, true}) {
      JpegSpec spec = blocks(3, 2, {{10}, {60}, {110}, {160}, {210}, {250}});
      if (orientation > 0) spec.app1 = exif_block(orientation, big_endian);
      SCOPED_TRACE(orientation);
      const bool turned = orientation >= 5;
      expect_blocks(make_jpeg(spec), turned ? 2 : 3, turned ? 3 : 2, upright[orientation], 1.01);
    }
  }
}

TEST(Exif, NonsenseIsIgnored) {
  for (const bool big_endian : {false, true}) {
    ASSERT_EQ(exif_orientation(exif_block(6, big_endian)), 6);
    EXPECT_EQ(exif_orientation(exif_block(0, big_endian)), 1);
    EXPECT_EQ(exif_orientation(exif_block(9, big_endian)), 1);
    EXPECT_EQ(exif_orientation(exif_block(65535, big_endian)), 1);
    EXPECT_EQ(exif_orientation(exif_block(6, big_endian, 2)), 1);
    EXPECT_EQ(exif_orientation(exif_block(6, big_endian, 3, 2)), 1);
    for (const std::uint32_t offset : {0U, 7U, 36U, 1000U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
      EXPECT_EQ(exif_orientation(exif_block(6, big_endian, 3, 1, offset)), 1);
    }
    EXPECT_EQ(exif_orientation(exif_block(6, big_endian, 3, 1, 8, 0)), 1);
    EXPECT_EQ(exif_orientation(exif_block(6, big_endian, 3, 1, 8, 1)), 1);
    EXPECT_EQ(exif_orientation(exif_block(6, big_endian, 3, 1, 8, 65535)), 6);
  }
  EXPECT_EQ(exif_orientation({}), 1);
}

TEST(Exif, TruncationAndWrongHeadersAreIgnored) {
  const Bytes whole = exif_block(6, true);
  const std::size_t needed = 6 + 8 + 2 + 12 + 10;  // up to and with the orientation's value
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(exif_orientation(std::span(whole).first(size)), size < needed ? 1 : 6) << size;
  }
  for (std::size_t i = 0; i < 10; ++i) {  // every byte of the two headers matters
    Bytes damaged = whole;
    damaged[i] ^= 0x55U;
    EXPECT_EQ(exif_orientation(damaged), 1) << i;
  }
}

TEST(Exif, ForeignApp1IsSkipped) {
  JpegSpec spec = blocks(1, 2, {{10}, {200}});
  const std::string xmp("http://ns.adobe.com/xap/1.0/\0<x/>", 33);
  spec.app1.assign(xmp.begin(), xmp.end());
  expect_blocks(make_jpeg(spec), 1, 2, {10, 200}, 1.01);
}

}  // namespace
}  // namespace vsmax
