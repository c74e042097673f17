// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "image/image_fixtures.h"
#include "vsmax/base/error.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using testing::Bytes;
using testing::make_png;
using testing::message_of;
using testing::PngSpec;
using testing::TemporaryFolder;

float luma(double r, double g, double b) {
  return static_cast<float>(0.299 * r + 0.587 * g + 0.114 * b);
}

void expect_pixels(const PngSpec& spec, const std::vector<float>& expected) {
  const GrayImage image = decode_image(make_png(spec), "test");
  ASSERT_EQ(image.width, spec.width);
  ASSERT_EQ(image.height, spec.height);
  ASSERT_EQ(image.pixels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(image.pixels[i], expected[i], 1e-7F) << "pixel " << i;
  }
}

// 16-bit values in the order png_color_16 has them.
png_color_16 colour_key(unsigned r, unsigned g, unsigned b, unsigned gray) {
  return {0, static_cast<png_uint_16>(r), static_cast<png_uint_16>(g), static_cast<png_uint_16>(b),
          static_cast<png_uint_16>(gray)};
}

TEST(Png, GreyOfEveryBitDepthPlainAndInterlaced) {
  for (const int bits : {1, 2, 4, 8, 16}) {
    for (const bool interlaced : {false, true}) {
      const unsigned max = (1U << bits) - 1U;
      PngSpec spec{11, 13, PNG_COLOR_TYPE_GRAY, bits, {}, interlaced};
      std::vector<float> expected;
      for (unsigned i = 0; i < 11 * 13; ++i) {
        const unsigned value = (i * 2654435761U >> 7) & max;
        spec.samples.push_back(static_cast<std::uint16_t>(value));
        expected.push_back(static_cast<float>(value) / static_cast<float>(max));
      }
      SCOPED_TRACE(std::to_string(bits) + (interlaced ? " bits interlaced" : " bits"));
      expect_pixels(spec, expected);
    }
  }
}

// Small interlaced images lack some of the seven passes altogether.
TEST(Png, InterlacedImagesOfEverySmallSize) {
  for (int width = 1; width <= 9; ++width) {
    for (int height = 1; height <= 9; ++height) {
      PngSpec spec{width, height, PNG_COLOR_TYPE_GRAY, 8, {}, true};
      std::vector<float> expected;
      for (int i = 0; i < width * height; ++i) {
        spec.samples.push_back(static_cast<std::uint16_t>(i * 3 + 1));
        expected.push_back(static_cast<float>(i * 3 + 1) / 255.0F);
      }
      SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
      expect_pixels(spec, expected);
    }
  }
}

TEST(Png, GreyValuesAreExact) {
  const GrayImage eight = decode_image(make_png({3, 1, PNG_COLOR_TYPE_GRAY, 8, {0, 77, 255}}), "t");
  EXPECT_EQ(eight.pixels, (std::vector<float>{0.0F, 77.0F / 255.0F, 1.0F}));
  const GrayImage sixteen =
      decode_image(make_png({4, 1, PNG_COLOR_TYPE_GRAY, 16, {0, 1, 12345, 65535}}), "t");
  EXPECT_EQ(sixteen.pixels, (std::vector<float>{0.0F, 1.0F / 65535.0F, 12345.0F / 65535.0F, 1.0F}));
  // The same value given as colour.
  const GrayImage colour =
      decode_image(make_png({2, 1, PNG_COLOR_TYPE_RGB, 8, {77, 77, 77, 255, 255, 255}}), "t");
  EXPECT_EQ(colour.pixels, (std::vector<float>{77.0F / 255.0F, 1.0F}));
}

TEST(Png, RgbBecomesLuma) {
  for (const bool interlaced : {false, true}) {
    expect_pixels(
        {2, 2, PNG_COLOR_TYPE_RGB, 8, {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30}, interlaced},
        {luma(1, 0, 0), luma(0, 1, 0), luma(0, 0, 1), luma(10, 20, 30) / 255.0F});
    expect_pixels({2, 1, PNG_COLOR_TYPE_RGB, 16, {65535, 0, 0, 1000, 2000, 3000}, interlaced},
                  {luma(1, 0, 0), luma(1000, 2000, 3000) / 65535.0F});
  }
}

TEST(Png, AlphaIsLaidOverBlack) {
  expect_pixels({3, 1, PNG_COLOR_TYPE_GRAY_ALPHA, 8, {200, 255, 200, 0, 200, 51}},
                {200.0F / 255.0F, 0.0F, 200.0F / 255.0F * 0.2F});
  expect_pixels({1, 2, PNG_COLOR_TYPE_GRAY_ALPHA, 16, {40000, 65535, 40000, 13107}},
                {40000.0F / 65535.0F, 40000.0F / 65535.0F * 0.2F});
  expect_pixels({2, 1, PNG_COLOR_TYPE_RGB_ALPHA, 8, {10, 20, 30, 51, 255, 255, 255, 128}, true},
                {luma(10, 20, 30) / 255.0F * 0.2F, 128.0F / 255.0F});
  expect_pixels({1, 1, PNG_COLOR_TYPE_RGB_ALPHA, 16, {1000, 2000, 3000, 13107}},
                {luma(1000, 2000, 3000) / 65535.0F * 0.2F});
}

TEST(Png, TransparentColourBecomesBlack) {
  for (const int bits : {1, 2, 4, 8, 16}) {
    PngSpec spec{2, 1, PNG_COLOR_TYPE_GRAY, bits, {1, 0}};
    spec.has_transparent = true;
    spec.transparent = colour_key(0, 0, 0, 1);
    SCOPED_TRACE(bits);
    expect_pixels(spec, {0.0F, 0.0F});
    spec.transparent = colour_key(0, 0, 0, 0);
    expect_pixels(spec, {1.0F / static_cast<float>((1U << bits) - 1U), 0.0F});
  }
  for (const int bits : {8, 16}) {
    PngSpec spec{2, 1, PNG_COLOR_TYPE_RGB, bits, {9, 8, 7, 9, 8, 6}};
    spec.has_transparent = true;
    spec.transparent = colour_key(9, 8, 7, 0);
    expect_pixels(spec, {0.0F, luma(9, 8, 6) / static_cast<float>((1U << bits) - 1U)});
  }
}

TEST(Png, PaletteOfEveryBitDepthWithAndWithoutAlpha) {
  for (const int bits : {1, 2, 4, 8}) {
    for (const bool interlaced : {false, true}) {
      PngSpec spec{3, 2, PNG_COLOR_TYPE_PALETTE, bits, {0, 1, 1, 1, 0, 0}, interlaced};
      spec.palette = {{10, 20, 30}, {200, 100, 50}};
      const float a = luma(10, 20, 30) / 255.0F;
      const float b = luma(200, 100, 50) / 255.0F;
      SCOPED_TRACE(bits);
      expect_pixels(spec, {a, b, b, b, a, a});
      spec.palette_alpha = {51};  // the second colour has none and is opaque
      expect_pixels(spec, {a * 0.2F, b, b, b, a * 0.2F, a * 0.2F});
    }
  }
}

TEST(Png, GammaIsIgnored) {
  PngSpec spec{1, 1, PNG_COLOR_TYPE_GRAY, 8, {100}};
  spec.gamma = 1.0;
  expect_pixels(spec, {100.0F / 255.0F});
}

TEST(Png, WriteGreyRoundTrips) {
  const TemporaryFolder folder;
  for (const int bits : {8, 16}) {
    GrayImage image(7, 5);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      image.pixels[i] = static_cast<float>(i) / 34.0F;
    }
    write_png(folder.file("grey.png"), image, bits);
    const GrayImage back = read_image(folder.file("grey.png"));
    ASSERT_EQ(back.width, 7);
    ASSERT_EQ(back.height, 5);
    const float step = bits == 8 ? 255.0F : 65535.0F;
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      EXPECT_NEAR(back.pixels[i], image.pixels[i], 0.5001F / step);
    }
    write_png(folder.file("again.png"), back, bits);  // what is on the grid comes back unchanged
    EXPECT_EQ(read_image(folder.file("again.png")).pixels, back.pixels);
  }
}

TEST(Png, WriteClipsAndTakesNanForBlack) {
  const TemporaryFolder folder;
  GrayImage image(4, 1);
  const float infinity = std::numeric_limits<float>::infinity();
  image.pixels = {-1.0F, 7.0F, std::numeric_limits<float>::quiet_NaN(), infinity};
  write_png(folder.file("clip.png"), image, 16);
  EXPECT_EQ(read_image(folder.file("clip.png")).pixels,
            (std::vector<float>{0.0F, 1.0F, 0.0F, 1.0F}));
}

TEST(Png, WriteRgbRoundTrips) {
  const TemporaryFolder folder;
  RgbImage image(2, 2);
  image.pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30};
  write_png(folder.file("rgb.png"), image);
  const GrayImage back = read_image(folder.file("rgb.png"));
  const std::vector<float> expected = {luma(1, 0, 0), luma(0, 1, 0), luma(0, 0, 1),
                                       luma(10, 20, 30) / 255.0F};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(back.pixels[i], expected[i], 1e-7F);
}

TEST(Png, WriteRefusesWhatIsNoImage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.png");
  EXPECT_EQ(message_of<Error>([&] { write_png(path, GrayImage()); }),
            path + ": cannot write an image of 0x0 pixels with 0 values");
  EXPECT_EQ(message_of<Error>([&] { write_png(path, GrayImage(2, 2), 12); }),
            path + ": a PNG of 12 bits was requested; only 8 and 16 are possible");
  RgbImage torn(2, 2);
  torn.pixels.pop_back();
  EXPECT_EQ(message_of<Error>([&] { write_png(path, torn); }),
            path + ": cannot write an image of 2x2 pixels with 11 values");
  const std::string nowhere = folder.file("none/x.png");
  EXPECT_EQ(message_of<Error>([&] { write_png(nowhere, GrayImage(2, 2)); }),
            nowhere + ": cannot be written (No such file or directory)");
  EXPECT_EQ(folder.count(), 0U);
}

void expect_colours(const PngSpec& spec, const Bytes& expected) {
  const RgbImage image = decode_rgb_image(make_png(spec), "test");
  ASSERT_EQ(image.width, spec.width);
  ASSERT_EQ(image.height, spec.height);
  EXPECT_EQ(image.pixels, expected);
}

TEST(Png, KnowsDeepGreyFromItsHeader) {
  const auto deep = [](int type, int depth, std::vector<std::uint16_t> samples) {
    return is_deep_grey(make_png({1, 1, type, depth, std::move(samples)}));
  };
  EXPECT_TRUE(deep(PNG_COLOR_TYPE_GRAY, 16, {7}));
  EXPECT_TRUE(deep(PNG_COLOR_TYPE_GRAY_ALPHA, 16, {7, 65535}));
  EXPECT_FALSE(deep(PNG_COLOR_TYPE_GRAY, 8, {7}));
  EXPECT_FALSE(deep(PNG_COLOR_TYPE_RGB, 16, {7, 8, 9}));
  for (const std::size_t size : {0U, 8U, 25U}) EXPECT_FALSE(is_deep_grey(Bytes(size, 16))) << size;
}

TEST(Png, InColourKeepsItsChannels) {
  for (const bool interlaced : {false, true}) {
    expect_colours({2, 1, PNG_COLOR_TYPE_RGB, 8, {1, 2, 3, 250, 0, 99}, interlaced},
                   {1, 2, 3, 250, 0, 99});
    // 16 bits are rounded: 128 is 127.5 / 255 rounded up.
    expect_colours({1, 1, PNG_COLOR_TYPE_RGB, 16, {65535, 32768, 129}, interlaced}, {255, 128, 1});
  }
  expect_colours({2, 1, PNG_COLOR_TYPE_GRAY, 8, {7, 200}}, {7, 7, 7, 200, 200, 200});
  expect_colours({1, 1, PNG_COLOR_TYPE_RGB_ALPHA, 8, {100, 200, 50, 51}}, {20, 40, 10});
}

}  // namespace
}  // namespace vsmax
