// SPDX-License-Identifier: Apache-2.0
// Views of pixels in every type and layout, against reading each pixel by its address.
#include "vsmax/image/image_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "support/error_message.h"
#include "support/random.h"

namespace vsmax {
namespace {

std::vector<float> floats_of(const ImageView& view) {
  std::vector<float> pixels(view.frame().pixels(), -77.0F);
  view.copy_to(pixels.data());
  return pixels;
}

// Black is 0 and white is 1.
float gray(std::uint8_t value) { return static_cast<float>(value) / 255.0F; }
float gray(std::uint16_t value) { return static_cast<float>(value) / 65535.0F; }
float gray(float value) { return value; }

template <class Pixel>
Pixel any_pixel(test::Random& random) {
  if constexpr (std::is_same_v<Pixel, float>)
    return static_cast<float>(random.uniform(-2.0, 2.0));
  else
    return static_cast<Pixel>(random.integer(0, std::numeric_limits<Pixel>::max()));
}

// An image laid out in memory: the offset of pixel (0, 0) and the strides, in bytes.
struct Layout {
  std::ptrdiff_t origin, row, pixel;
};

template <class Pixel>
void expect_reads_layout(int width, int height, const Layout& layout, std::size_t bytes,
                         test::Random& random) {
  std::vector<std::byte> memory(bytes, std::byte{0xFF});  // NaN wherever no pixel is
  std::vector<float> expected;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const auto pixel = any_pixel<Pixel>(random);
      const std::ptrdiff_t at = layout.origin + row * layout.row + column * layout.pixel;
      ASSERT_TRUE(at >= 0 && at + sizeof pixel <= memory.size());
      std::memcpy(&memory[static_cast<std::size_t>(at)], &pixel, sizeof pixel);
      expected.push_back(gray(pixel));
    }
  const ImageView view(reinterpret_cast<const Pixel*>(memory.data() + layout.origin), width, height,
                       layout.row, layout.pixel);
  EXPECT_TRUE(view.frame() == (ImageFrame{width, height}));
  EXPECT_EQ(floats_of(view), expected) << layout.row << ", " << layout.pixel;
}

template <class Pixel>
class ImageViewOf : public ::testing::Test {};
using PixelTypes = ::testing::Types<std::uint8_t, std::uint16_t, float>;
TYPED_TEST_SUITE(ImageViewOf, PixelTypes);

TYPED_TEST(ImageViewOf, ReadsRowsWithoutGaps) {
  test::Random random;
  std::vector<TypeParam> memory;
  std::vector<float> expected;
  for (int i = 0; i < 7 * 5; ++i) {
    memory.push_back(any_pixel<TypeParam>(random));
    expected.push_back(gray(memory.back()));
  }
  EXPECT_EQ(floats_of(ImageView(memory.data(), 7, 5)), expected);
}

TYPED_TEST(ImageViewOf, ReadsEveryLayout) {
  test::Random random;
  constexpr std::ptrdiff_t kSize = sizeof(TypeParam);
  constexpr int kWidth = 7;
  constexpr int kHeight = 5;
  const std::size_t bytes = 4096;
  for (const Layout& layout :
       {Layout{0, kWidth * kSize, kSize},              // without gaps
        Layout{0, 64, kSize},                          // padded rows
        Layout{4 * 64, -64, kSize},                    // upside down
        Layout{6 * kSize, 64, -kSize},                 // mirrored
        Layout{4 * 64 + 6 * kSize, -64, -kSize},       // turned by half a turn
        Layout{kSize, 3 * kWidth * kSize, 3 * kSize},  // a channel of interleaved RGB
        Layout{0, kSize, kHeight * kSize},             // transposed
        Layout{1, kWidth * kSize + 3, kSize},          // unaligned rows
        Layout{3, kWidth * (kSize + 1), kSize + 1}})   // unaligned pixels
    expect_reads_layout<TypeParam>(kWidth, kHeight, layout, bytes, random);
}

TEST(ImageView, MapsBlackAndWhiteToZeroAndOne) {
  const std::uint8_t bytes[] = {0, 255};
  const std::uint16_t words[] = {0, 65535};
  const float floats[] = {-3.0F, 1e30F};
  EXPECT_EQ(floats_of(ImageView(bytes, 2, 1)), (std::vector<float>{0.0F, 1.0F}));
  EXPECT_EQ(floats_of(ImageView(words, 2, 1)), (std::vector<float>{0.0F, 1.0F}));
  EXPECT_EQ(floats_of(ImageView(floats, 2, 1)), (std::vector<float>{-3.0F, 1e30F}));
}

// The same grey in 8 and in 16 bits is the same float: 65535 = 257 * 255.
TEST(ImageView, GivesTheSameGrayInEveryDepth) {
  for (int value = 0; value < 256; ++value) {
    const auto byte = static_cast<std::uint8_t>(value);
    const auto word = static_cast<std::uint16_t>(257 * value);
    EXPECT_EQ(floats_of(ImageView(&byte, 1, 1)), floats_of(ImageView(&word, 1, 1))) << value;
  }
}

TEST(ImageView, OfAGrayImageIsItsPixels) {
  test::Random random;
  GrayImage image(9, 4);
  image.pixels = random.normals<float>(image.pixels.size());
  const ImageView view = image;
  EXPECT_TRUE(view.frame() == image.frame());
  EXPECT_EQ(view.contiguous_floats(), image.pixels.data());
  EXPECT_EQ(floats_of(view), image.pixels);
}

TEST(ImageView, HandsOutOnlyFloatsWithoutGaps) {
  const std::vector<float> memory(64, 0.5F);
  const std::uint8_t bytes[4] = {};
  EXPECT_EQ(ImageView(memory.data(), 4, 4).contiguous_floats(), memory.data());
  EXPECT_EQ(ImageView(memory.data(), 4, 4, 16).contiguous_floats(), memory.data());
  EXPECT_EQ(ImageView(memory.data(), 4, 4, 20).contiguous_floats(), nullptr);
  EXPECT_EQ(ImageView(memory.data(), 4, 4, 32, 8).contiguous_floats(), nullptr);
  EXPECT_EQ(ImageView(memory.data() + 12, 4, 4, -16).contiguous_floats(), nullptr);
  EXPECT_EQ(ImageView(bytes, 2, 2).contiguous_floats(), nullptr);
}

TEST(ImageView, RejectsAGrayImageWithTheWrongNumberOfPixels) {
  const auto view = [](const GrayImage& image) { ImageView{image}; };
  GrayImage image(7, 5);
  EXPECT_NO_THROW(view(image));
  image.pixels.pop_back();
  EXPECT_TRUE(test::throws_error_with({"7x5", "34"}, [&] { view(image); }));
  image.pixels.resize(36);
  EXPECT_TRUE(test::throws_error_with({"7x5", "36"}, [&] { view(image); }));
  image.width = -7;
  EXPECT_TRUE(test::throws_error_with({"-7x5"}, [&] { view(image); }));
  image.height = -5;
  image.pixels.resize(35);
  EXPECT_TRUE(test::throws_error_with({"-7x-5"}, [&] { view(image); }));
}

TEST(ImageView, OfColourGivesEachChannelAndTheLuma) {
  test::Random random;
  RgbImage image(5, 3);
  image.pixels = random.integers<std::uint8_t>(3 * 5 * 3, 0, 255);
  const ImageView view(image);
  std::vector<float> channel(15);
  for (std::size_t c = 0; c < 3; ++c) {
    view.copy_channel_to(c, channel.data());
    for (std::size_t i = 0; i < channel.size(); ++i)
      EXPECT_EQ(channel[i], gray(image.pixels[3 * i + c]));
  }
  const auto luma = floats_of(view);
  for (std::size_t i = 0; i < luma.size(); ++i) {
    const std::uint8_t* rgb = &image.pixels[3 * i];
    EXPECT_NEAR(luma[i], (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]) / 255.0, 1e-6);
  }
  EXPECT_EQ(view.contiguous_floats(), nullptr);
  image.pixels.pop_back();
  EXPECT_TRUE(test::throws_error_with({"5x3", "44"}, [&] { ImageView{image}; }));
}

// Red, green and blue 300 bytes into memory, in this order or the reverse, with gaps.
TYPED_TEST(ImageViewOf, ReadsColourInEitherOrder) {
  test::Random random;
  constexpr std::ptrdiff_t kSize = sizeof(TypeParam);
  for (const std::ptrdiff_t channel_stride : {kSize, -kSize}) {
    std::vector<std::byte> memory(4096, std::byte{0xFF});
    std::vector<float> expected[3];
    std::vector<double> luma;
    for (std::ptrdiff_t i = 0; i < 5 * 3; ++i) {
      std::ptrdiff_t at = 300 + (i / 5) * 128 + (i % 5) * 4 * kSize;
      for (auto& channel : expected) {
        const auto sample = any_pixel<TypeParam>(random);
        std::memcpy(&memory[static_cast<std::size_t>(at)], &sample, sizeof sample);
        channel.push_back(gray(sample));
        at += channel_stride;
      }
      luma.push_back(0.299 * expected[0].back() + 0.587 * expected[1].back() +
                     0.114 * expected[2].back());
    }
    const auto view = ImageView::rgb(reinterpret_cast<const TypeParam*>(&memory[300]), 5, 3, 128,
                                     4 * kSize, channel_stride);
    std::vector<float> channel(15);
    for (std::size_t c = 0; c < 3; ++c) {
      view.copy_channel_to(c, channel.data());
      EXPECT_EQ(channel, expected[c]);
    }
    const auto found = floats_of(view);
    for (std::size_t i = 0; i < luma.size(); ++i) EXPECT_NEAR(found[i], luma[i], 1e-6);
    EXPECT_EQ(view.contiguous_floats(), nullptr);
  }
}

TEST(ImageView, OfGreyHasThreeEqualChannels) {
  test::Random random;
  const auto pixels = random.integers<std::uint16_t>(6, 0, 65535);
  const ImageView view(pixels.data(), 3, 2);
  std::vector<float> channel(6);
  for (std::size_t c = 0; c < 3; ++c) {
    view.copy_channel_to(c, channel.data());
    EXPECT_EQ(channel, floats_of(view));
  }
}

TEST(ImageView, SamplesBetweenPixels) {
  test::Random random;
  GrayImage ramp(9, 6);
  const ImageFrame frame = ramp.frame();
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 9; ++column)
      ramp.at(column, row) = static_cast<float>(3.0 * frame.x(column) - 2.0 * frame.y(row));
  for (int i = 0; i < 50; ++i) {
    const std::array<double, 2> start{random.uniform(-4.0, 4.0), random.uniform(-2.5, 2.5)};
    const std::array<double, 2> step{random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)};
    std::vector<double> values(5);
    ImageView(ramp).sample_path(start, step, values);
    for (int n = 0; n < 5; ++n) {  // beyond the image its outermost pixels continue
      const double x = std::clamp(start[0] + n * step[0], -4.0, 4.0);
      const double y = std::clamp(start[1] + n * step[1], -2.5, 2.5);
      EXPECT_NEAR(values[static_cast<std::size_t>(n)], 3.0 * x - 2.0 * y, 1e-6);
    }
  }
}

// At the pixels' centres samples are the pixels, in every type and layout.
void expect_samples_pixels(const ImageView& view) {
  const ImageFrame& frame = view.frame();
  const auto pixels = floats_of(view);
  std::vector<double> values(static_cast<std::size_t>(frame.width));
  for (int row = 0; row < frame.height; ++row) {
    view.sample_path({frame.x(0), frame.y(row)}, {1.0, 0.0}, values);
    for (int column = 0; column < frame.width; ++column)
      EXPECT_EQ(values[static_cast<std::size_t>(column)],
                static_cast<double>(pixels[frame.index(column, row)]));
  }
}

TEST(ImageView, SamplesEveryPixelTypeAndLayout) {
  test::Random random;
  const auto bytes = random.integers<std::uint8_t>(120, 0, 255);
  const auto words = random.integers<std::uint16_t>(35, 0, 65535);
  const auto floats = random.normals<float>(35);
  expect_samples_pixels(ImageView(bytes.data(), 7, 5));
  expect_samples_pixels(ImageView(bytes.data() + 7 * 4, 7, 5, -7));
  expect_samples_pixels(ImageView(bytes.data(), 5, 7, 1, 7));
  expect_samples_pixels(ImageView(words.data(), 7, 5));
  expect_samples_pixels(ImageView(floats.data(), 7, 5));
  expect_samples_pixels(ImageView::rgb(bytes.data(), 7, 5));
  expect_samples_pixels(ImageView::rgb(bytes.data() + 4 * 21, 7, 5, -21));
  expect_samples_pixels(ImageView::rgb(words.data() + 2, 3, 3, 0, 6, -2));
  expect_samples_pixels(ImageView::rgb(floats.data(), 3, 3));
}

}  // namespace
}  // namespace vsmax
