// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace vsmax {
namespace {

constexpr int kWidth = 160;
constexpr int kHeight = 120;

// 8 bits, from the values of all pixels.
template <class Value>
std::vector<std::uint8_t> picture(const Value& value) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      pixels.push_back(static_cast<std::uint8_t>(std::clamp<double>(value(x, y), 0.0, 255.0)));
  return pixels;
}

bool drawn(const std::vector<std::uint8_t>& pixels) {
  return is_drawing({pixels.data(), kWidth, kHeight});
}

// Sky above water, as a camera sees them.
std::vector<std::uint8_t> photograph(double noise, double gain) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::normal_distribution<double> normal(0.0, noise);
  return picture([&](int x, int y) {
    return gain * ((y < 50 ? 200.0 - y : 70.0 + 20.0 * std::sin(0.2 * x + y)) + normal(random));
  });
}

TEST(Drawing, PhotographsAreNone) {
  EXPECT_FALSE(drawn(photograph(4.0, 1.0)));
  EXPECT_FALSE(drawn(photograph(1.0, 1.0)));
  EXPECT_FALSE(drawn(photograph(3.0, 1.4)));  // overexposed sky
}

TEST(Drawing, PlotsTablesAndPatternsAre) {
  EXPECT_TRUE(drawn(picture([](int x, int y) { return x % 40 == 3 || y % 30 == 5 ? 0 : 255; })));
  EXPECT_TRUE(drawn(picture([](int x, int y) { return (x / 16 + y / 16) % 2 * 100 + 50; })));
  EXPECT_TRUE(drawn(picture([](int x, int y) { return (x / 8 * 37 + y / 8 * 91) % 256; })));
  EXPECT_TRUE(drawn(picture([](int, int y) { return y < 50 ? 180 : 60; })));
}

TEST(Drawing, PlotsAreWithTheRingingOfAJpegToo) {
  std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::uniform_int_distribution<int> ringing(0, 60);
  const auto table = [&](int around) {
    return picture([&](int x, int y) {
      const int column = x % 40;
      if (column == 20) return 0;
      return std::abs(column - 20) <= around && y % 2 == 0 ? 255 - ringing(random) : 255;
    });
  };
  EXPECT_TRUE(drawn(table(4)));
  EXPECT_FALSE(drawn(table(19))) << "a texture";
}

// Overexposed, or a planet in the dark: much of one value, but a good part of the picture is not.
TEST(Drawing, AnObjectBeforeABlackGroundIsNone) {
  std::mt19937 random(6);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::normal_distribution<double> normal(0.0, 4.0);
  EXPECT_FALSE(drawn(picture([&](int x, int y) {
    return std::hypot(x - 80, y - 60) < 40 ? 120.0 + x + normal(random) : 0.0;
  })));
}

TEST(Drawing, NoiseIsNone) {
  std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::uniform_int_distribution<int> any(0, 255);
  EXPECT_FALSE(drawn(picture([&](int, int) { return any(random); })));
}

TEST(Drawing, DoesNotDependOnTheTypeOfPixels) {
  for (const auto& bytes : {photograph(4.0, 1.0), picture([](int x, int y) {
                              return (x / 8 * 37 + y / 8 * 91) % 256;
                            })}) {
    std::vector<std::uint16_t> words;
    std::vector<float> floats;
    for (const std::uint8_t byte : bytes) {
      words.push_back(static_cast<std::uint16_t>(byte * 257));
      floats.push_back(static_cast<float>(byte) / 255.0F);
    }
    EXPECT_EQ(is_drawing({words.data(), kWidth, kHeight}), drawn(bytes));
    EXPECT_EQ(is_drawing({floats.data(), kWidth, kHeight}), drawn(bytes));
  }
}

TEST(Drawing, TakesImagesOfAnySize) {
  for (const int side : {1, 2, 3, 5}) {
    const std::vector<float> pixels(static_cast<std::size_t>(side) * side, 0.5F);
    EXPECT_TRUE(is_drawing({pixels.data(), side, side})) << side;
  }
}

}  // namespace
}  // namespace vsmax
