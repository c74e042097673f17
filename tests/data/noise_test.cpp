// SPDX-License-Identifier: Apache-2.0
// The noise of the synthetic images: its moments, its clipping, and what it depends on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

std::vector<double> many_normals(std::uint32_t blocks) {
  std::vector<double> values;
  for (std::uint32_t block = 0; block < blocks; ++block)
    for (const float value :
         normal_block(draw({7, Split::kTrain, 0, 0}, Stream::kNoise, block)).value)
      values.push_back(static_cast<double>(value));
  return values;
}

double normal_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// Five deviations of each sample moment of n normal numbers.
TEST(Normals, HaveTheMomentsOfTheNormalDistribution) {
  const auto values = many_normals(250000);
  const auto n = static_cast<double>(values.size());
  double mean = 0.0, square = 0.0, cube = 0.0, fourth = 0.0;
  for (const double z : values) {
    mean += z / n;
    square += z * z / n;
    cube += z * z * z / n;
    fourth += z * z * z * z / n;
  }
  EXPECT_NEAR(mean, 0.0, 5.0 / std::sqrt(n));
  EXPECT_NEAR(square, 1.0, 5.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(cube, 0.0, 5.0 * std::sqrt(15.0 / n));
  EXPECT_NEAR(fourth, 3.0, 5.0 * std::sqrt(96.0 / n));
}

TEST(Normals, HaveTheTailsOfTheNormalDistribution) {
  const auto values = many_normals(250000);
  const auto n = static_cast<double>(values.size());
  for (const double z : {0.0, 1.0, 2.0, 3.0, 4.0}) {
    const double tail = normal_tail(z);
    const double tolerance = 5.0 * std::sqrt(tail / n);
    double above = 0.0, below = 0.0;
    for (const double value : values) {
      above += value > z ? 1.0 : 0.0;
      below += value < -z ? 1.0 : 0.0;
    }
    EXPECT_NEAR(above / n, tail, tolerance);
    EXPECT_NEAR(below / n, tail, tolerance);
  }
}

TEST(Normals, OfOneBlockAreUncorrelated) {
  const auto values = many_normals(100000);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < values.size(); k += 4) product += values[k + i] * values[k + j];
      EXPECT_NEAR(product / 100000.0, 0.0, 5.0 / std::sqrt(100000.0)) << i << ", " << j;
    }
}

TEST(Normals, AreFiniteAtTheEndsOfTheWords) {
  for (const std::uint32_t a : {0U, 0xFFFFFFFFU})
    for (const std::uint32_t b : {0U, 0x80000000U, 0xFFFFFFFFU})
      for (const float value : normal_block({{a, b, a, b}}).value) {
        EXPECT_TRUE(std::isfinite(value));
        EXPECT_LT(std::abs(value), 6.0F);
      }
}

TEST(NoisyPixel, IsClipped) {
  EXPECT_EQ(noisy_pixel(false, 0.5F, -1.0F), 0.0F);
  EXPECT_EQ(noisy_pixel(false, 0.5F, 1.0F), 0.5F);
  EXPECT_EQ(noisy_pixel(false, 0.5F, 3.0F), 1.0F);
  EXPECT_EQ(noisy_pixel(true, 0.5F, 1.0F), 1.0F);
  EXPECT_EQ(noisy_pixel(true, 0.5F, -1.0F), 0.5F);
  EXPECT_EQ(noisy_pixel(true, 0.5F, -3.0F), 0.0F);
}

TEST(RenderedNoise, IsClippedAsOftenAsTheNormalDistributionSays) {
  const ImageFrame frame{400, 300};
  std::vector<float> pixels(400 * 300);
  for (const double sigma : {0.2, 0.6, 0.8}) {
    render_line(frame, {0.0, 1e6}, sigma, {1, Split::kTest, 0, 0}, pixels);  // no ink
    double black = 0.0, white = 0.0;
    for (const float pixel : pixels) {
      ASSERT_TRUE(pixel >= 0.0F && pixel <= 1.0F);
      black += pixel == 0.0F ? 1.0 : 0.0;
      white += pixel == 1.0F ? 1.0 : 0.0;
    }
    const auto n = static_cast<double>(pixels.size());
    const double beyond = normal_tail(1.0 / sigma);
    EXPECT_NEAR(black / n, 0.5, 5.0 * std::sqrt(0.25 / n));
    EXPECT_NEAR(white / n, beyond, 5.0 * std::sqrt(beyond / n) + 1e-6);
  }
}

TEST(RenderedNoise, DependsOnlyOnTheKeyAndThePixelsIndex) {
  std::vector<float> wide(60 * 20), tall(20 * 60);
  const SampleKey key{5, Split::kValidation, 2, 9};
  const PixelLine nowhere{0.0, 1e6};
  render_line({60, 20}, nowhere, 0.5, key, wide);
  render_line({20, 60}, nowhere, 0.5, key, tall);
  EXPECT_EQ(wide, tall);
  // A line adds its ink to the same noise.
  std::vector<float> lined(60 * 20), ink(60 * 20);
  render_line({60, 20}, {0.4, 3.0}, 0.5, key, lined);
  render_line({60, 20}, {0.4, 3.0}, 0.0, key, ink);
  for (std::size_t i = 0; i < ink.size(); ++i) {
    if (ink[i] == 0.0F) {
      EXPECT_EQ(lined[i], wide[i]);
    } else {
      EXPECT_GE(lined[i], wide[i]);
    }
  }
}

TEST(RenderedNoise, DoesNotDependOnTheOrderOfSamples) {
  const ImageFrame frame{33, 21};
  const PixelLine line{1.1, 4.0};
  std::vector<std::vector<float>> forwards(5, std::vector<float>(33 * 21)), backwards = forwards;
  for (std::uint32_t i = 0; i < 5; ++i)
    render_line(frame, line, 0.4, {9, Split::kTrain, 1, i}, forwards[i]);
  for (std::uint32_t i = 5; i-- > 0;)
    render_line(frame, line, 0.4, {9, Split::kTrain, 1, i}, backwards[i]);
  EXPECT_EQ(forwards, backwards);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NE(forwards[i], forwards[0]);
}

TEST(Sigma, IsUniformUpToTheLargest) {
  constexpr std::uint32_t kDraws = 20000;
  double sum = 0.0, squares = 0.0, smallest = 1.0, largest = 0.0;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const double sigma = draw_sigma({3, Split::kTrain, 1, i}, 0.5);
    sum += sigma;
    squares += sigma * sigma;
    smallest = std::min(smallest, sigma);
    largest = std::max(largest, sigma);
  }
  EXPECT_GE(smallest, 0.0);
  EXPECT_LE(largest, 0.5);
  EXPECT_LT(smallest, 0.5 * 20.0 / kDraws);
  EXPECT_GT(largest, 0.5 * (1.0 - 20.0 / kDraws));
  const double deviation = 0.5 / std::sqrt(12.0);
  EXPECT_NEAR(sum / kDraws, 0.25, 5.0 * deviation / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 0.25 / 3.0, 5.0 * 0.25 * std::sqrt(4.0 / 45.0 / kDraws));
  EXPECT_EQ(draw_sigma({3, Split::kTrain, 1, 4}, 0.0), 0.0);
}

// Streams of one key must not share their numbers, or the noise would tell its own deviation.
TEST(Sigma, IsNotReadOffTheNoise) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    const SampleKey key{3, Split::kTrain, 1, i};
    for (const Stream other : {Stream::kNoise, Stream::kLine, Stream::kPermutation})
      for (const std::uint32_t word : draw(key, other, 0).word)
        EXPECT_NE(draw_sigma(key, 1.0), static_cast<double>(uniform_from_word(word)));
  }
}

}  // namespace
}  // namespace vsmax
