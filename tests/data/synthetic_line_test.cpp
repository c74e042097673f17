// SPDX-License-Identifier: Apache-2.0
// The ink of a rendered line, and lines drawn off the grid.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/random.h"
#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

using std::numbers::pi;

std::vector<float> clean(const ImageFrame& frame, PixelLine line) {
  std::vector<float> pixels(frame.pixels());
  render_line(frame, line, 0.0, {}, pixels);
  return pixels;
}

double reach_of(double theta, const ImageFrame& frame) {
  return frame.reach(std::cos(theta), std::sin(theta));
}

TEST(Ink, IsBlackOrWhiteAndCloseToTheLine) {
  test::Random random;
  const ImageFrame frame{61, 40};
  for (int repeat = 0; repeat < 100; ++repeat) {
    const double theta = random.uniform(0.0, pi);
    const PixelLine line{theta, random.uniform(-1.0, 1.0) * reach_of(theta, frame)};
    const auto pixels = clean(frame, line);
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column) {
        const double distance = std::abs(frame.x(column) * std::cos(line.theta) +
                                         frame.y(row) * std::sin(line.theta) - line.rho);
        const float pixel = pixels[static_cast<std::size_t>(row * frame.width + column)];
        if (distance > 0.5 + 1e-12) {
          EXPECT_EQ(pixel, 0.0F);
        } else if (distance < 0.5 * std::sqrt(0.5) - 1e-12) {
          EXPECT_EQ(pixel, 1.0F);
        } else {
          EXPECT_TRUE(pixel == 0.0F || pixel == 1.0F);
        }
      }
  }
}

// The steep lines have one pixel in every row that they cross, the flat ones in every column.
TEST(Ink, IsExactlyOnePixelWide) {
  test::Random random;
  const ImageFrame frame{61, 40};
  int runs = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const double theta = random.uniform(0.0, pi);
    const double c = std::cos(theta);
    const double s = std::sin(theta);
    const PixelLine line{theta, random.uniform(-1.0, 1.0) * reach_of(theta, frame)};
    const auto pixels = clean(frame, line);
    const bool steep = std::abs(c) >= std::abs(s);
    for (int a = 0; a < (steep ? frame.height : frame.width); ++a) {
      // Where the line crosses this row (column), and whether it does so inside the image.
      const double at = steep ? (line.rho - frame.y(a) * s) / c : (line.rho - frame.x(a) * c) / s;
      const double half = steep ? frame.half_width() : frame.half_height();
      int ink = 0;
      for (int b = 0; b < (steep ? frame.width : frame.height); ++b)
        ink +=
            pixels[static_cast<std::size_t>(steep ? a * frame.width + b : b * frame.width + a)] !=
            0.0F;
      if (std::abs(at) < half + 0.5 - 1e-9) {
        EXPECT_EQ(ink, 1) << "theta " << line.theta << ", rho " << line.rho;
        ++runs;
      } else if (std::abs(at) > half + 0.5 + 1e-9) {
        EXPECT_EQ(ink, 0);
      }
    }
  }
  EXPECT_GT(runs, 1000);
}

// A line halfway between two columns touches both, by the <= of the definition.
TEST(Ink, OfALineBetweenTwoColumnsCoversBoth) {
  const auto pixels = clean({6, 4}, {0.0, 0.0});
  for (std::size_t i = 0; i < pixels.size(); ++i)
    EXPECT_EQ(pixels[i], i % 6 == 2 || i % 6 == 3 ? 1.0F : 0.0F);
}

TEST(Ink, DoesNotDependOnTheRepresentative) {
  test::Random random;
  const ImageFrame frame{50, 61};
  for (int repeat = 0; repeat < 100; ++repeat) {
    const double theta = random.uniform(0.0, pi);
    const double rho = random.uniform(-1.0, 1.0) * reach_of(theta, frame);
    EXPECT_EQ(clean(frame, {theta, rho}), clean(frame, {theta + pi, -rho}));
  }
}

TEST(Ink, OfALineOutsideTheImageIsNone) {
  for (const float pixel : clean({20, 20}, {0.7, 100.0})) EXPECT_EQ(pixel, 0.0F);
}

TEST(ContinuousLine, IsCanonicalAndVisible) {
  for (const ImageFrame& frame : {ImageFrame{256, 256}, {300, 40}, {2, 2}})
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const PixelLine line = draw_continuous_line({42, Split::kTest, 0, i}, frame);
      ASSERT_GE(line.theta, 0.0);
      ASSERT_LT(line.theta, pi);
      ASSERT_TRUE(visible_segment(line, frame));
    }
}

// The integral of the reach from 0 to theta <= pi, in closed form.
double reach_integral(double theta, const ImageFrame& frame) {
  const double cosines = theta <= pi / 2.0 ? std::sin(theta) : 2.0 - std::sin(theta);
  return frame.half_width() * cosines + frame.half_height() * (1.0 - std::cos(theta));
}

// Uniform over |rho| < reach(theta): theta has the density of the reach, and rho / reach is
// uniform.
TEST(ContinuousLine, IsUniformOverTheLinesThatCrossTheImage) {
  constexpr std::size_t kAngles = 12;
  constexpr std::size_t kOffsets = 8;
  constexpr std::uint32_t kDraws = 30000;
  for (const ImageFrame& frame : {ImageFrame{256, 256}, {301, 101}}) {
    std::vector<double> hits(kAngles * kOffsets);
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const PixelLine line = draw_continuous_line({6, Split::kTrain, 0, i}, frame);
      const auto a = static_cast<std::size_t>(line.theta / pi * kAngles);
      const auto b =
          static_cast<std::size_t>((line.rho / reach_of(line.theta, frame) + 1.0) / 2.0 * kOffsets);
      hits.at(a * kOffsets + b) += 1.0;
    }
    double chi_square = 0.0;
    for (std::size_t a = 0; a < kAngles; ++a) {
      const double share = (reach_integral(pi * static_cast<double>(a + 1) / kAngles, frame) -
                            reach_integral(pi * static_cast<double>(a) / kAngles, frame)) /
                           reach_integral(pi, frame);
      const double expected = kDraws * share / kOffsets;
      for (std::size_t b = 0; b < kOffsets; ++b) {
        const double off = hits[a * kOffsets + b] - expected;
        chi_square += off * off / expected;
      }
    }
    const double freedom = kAngles * kOffsets - 1.0;
    EXPECT_NEAR(chi_square, freedom, 5.0 * std::sqrt(2.0 * freedom));
  }
}

TEST(ContinuousLine, BelongsToItsKey) {
  const ImageFrame frame{64, 64};
  const PixelLine line = draw_continuous_line({1, Split::kTest, 0, 7}, frame);
  EXPECT_EQ(draw_continuous_line({1, Split::kTest, 0, 7}, frame).theta, line.theta);
  EXPECT_NE(draw_continuous_line({1, Split::kTest, 0, 8}, frame).theta, line.theta);
  EXPECT_NE(draw_continuous_line({2, Split::kTest, 0, 7}, frame).theta, line.theta);
  EXPECT_NE(draw_continuous_line({1, Split::kTrain, 0, 7}, frame).theta, line.theta);
}

}  // namespace
}  // namespace vsmax
