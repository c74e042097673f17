// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "vsmax/evidence/noisy_drawing.h"

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

// With sensor or scanner noise of this standard deviation, in grey levels.
template <class Value>
bool drawn_with_noise(double noise, const Value& value) {
  std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::normal_distribution<double> normal(0.0, noise);
  return drawn(picture([&](int x, int y) { return std::round(value(x, y) + normal(random)); }));
}

double bars(int x, int y) {
  const int bar = x / 32;
  if (y == 104) return 0.0;
  return x % 32 >= 8 && y > 20 + 13 * bar && y < 104 ? 60.0 + 30.0 * bar : 255.0;
}

double table(int x, int y) { return x % 40 == 3 || y % 30 == 5 ? 20.0 : 245.0; }

double window(int x, int y) {
  if (x < 12 || x > 148 || y < 10 || y > 110) return 90.0;
  if (y < 24) return 60.0;
  if (x < 48) return 45.0;
  return x < 104 && y % 24 < 6 && (x * 7 + y * 3) % 11 < 3 ? 220.0 : 30.0;  // text
}

TEST(Drawing, SlightNoiseMakesNoPhotograph) {
  for (const double noise : {0.5, 1.0, 2.0, 4.0}) {
    EXPECT_TRUE(drawn_with_noise(noise, bars)) << noise;
    EXPECT_TRUE(drawn_with_noise(noise, table)) << noise;
    EXPECT_TRUE(drawn_with_noise(noise, window)) << noise;
    EXPECT_TRUE(drawn_with_noise(noise, [](int x, int y) { return y < 50 + x / 4 ? 180 : 60; }));
  }
  EXPECT_FALSE(drawn_with_noise(25.0, bars)) << "no longer slight";
}

TEST(Drawing, SmoothPhotographsWithNoiseAreNone) {
  for (const double noise : {0.5, 1.0, 2.0, 4.0}) {
    EXPECT_FALSE(drawn_with_noise(noise, [](int x, int y) { return 60.0 + 0.7 * x + 0.3 * y; }));
    EXPECT_FALSE(drawn_with_noise(noise, [](int x, int y) {  // clouds, or a field out of focus
      return 130.0 + 50.0 * std::sin(0.05 * x + 0.02 * y) + 40.0 * std::sin(0.06 * y - 0.03 * x);
    }));
    EXPECT_FALSE(drawn_with_noise(noise, [](int x, int y) {  // an infrared horizon
      return y < 50 ? 150.0 - 0.4 * y : 80.0 + 0.3 * y + 6.0 * std::sin(0.3 * x + 0.02 * y * y);
    }));
    EXPECT_FALSE(drawn_with_noise(noise, [](int x, int y) {  // a dark slope below a bright sky
      return y < 50 + x / 8 ? 255.0 - 0.2 * x : 20.0 + 0.4 * y;
    }));
  }
  EXPECT_FALSE(drawn_with_noise(2.0, [](int, int) { return 120.0; })) << "nothing but noise";
}

TEST(Drawing, LightsInTheDarkAndThinLinesInNoiseAreNone) {
  const auto stars = [](int x, int y) { return (x * 37 + y * 91) % 997 < 4 ? 230.0 : 12.0; };
  const auto streak = [](int x, int y) { return x == y + 20 ? 230.0 : 12.0; };
  for (const double noise : {4.0, 8.0, 25.0, 75.0}) {
    EXPECT_FALSE(drawn_with_noise(noise, stars)) << noise;
    EXPECT_FALSE(drawn_with_noise(noise, streak)) << noise;
  }
}

TEST(Drawing, DoesNotDependOnTheTypeOfPixels) {
  std::mt19937 random(4);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::normal_distribution<double> normal(0.0, 2.0);
  for (const auto& bytes :
       {photograph(4.0, 1.0), picture([](int x, int y) { return (x / 8 * 37 + y / 8 * 91) % 256; }),
        picture([&](int x, int y) { return bars(x, y) + normal(random); })}) {
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

// The models refuse such an image.
TEST(Drawing, TakesValuesThatAreNotFinite) {
  std::mt19937 random(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::normal_distribution<float> normal(0.5F, 0.01F);
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), 3e38F, -3e38F}) {
    std::vector<float> pixels(std::size_t{kWidth} * kHeight);
    for (float& pixel : pixels) pixel = normal(random);
    for (std::size_t i = 0; i < pixels.size(); i += 40) pixels[i] = odd;
    EXPECT_FALSE(is_noisy_drawing({pixels.data(), kWidth, kHeight})) << odd;
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
