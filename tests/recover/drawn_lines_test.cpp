// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/drawn_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/lines.h"
#include "support/scenes.h"

namespace vsmax {
namespace {

using std::numbers::pi;

constexpr ImageFrame kDrawing{400, 300};
constexpr double kOneDegree = pi / 180.0;

std::optional<FollowedEdge> follow(const GrayImage& image, PixelLine line, int reach = 6) {
  DrawnLines lines;
  return lines.follow(image.pixels, image.frame(), line, reach, 0.04F);
}

// Dark where `inside(x, y)`, without smoothing.
template <class Inside>
GrayImage drawn(const Inside& inside) {
  GrayImage image(kDrawing, 0.9F);
  for (int row = 0; row < kDrawing.height; ++row)
    for (int column = 0; column < kDrawing.width; ++column)
      if (inside(kDrawing.x(column), kDrawing.y(row))) image.at(column, row) = 0.3F;
  return image;
}

double side_of(PixelLine line, double x, double y) {
  return x * std::cos(line.theta) + y * std::sin(line.theta) - line.rho;
}

TEST(DrawnLines, FollowsEdgesWithStairs) {
  test::Random random;
  for (int i = 0; i < 40; ++i) {
    const PixelLine line = test::random_line(random, kDrawing);
    GrayImage image = drawn([&](double x, double y) { return side_of(line, x, y) < 0.0; });
    test::add_noise(image, random, i % 2 * 0.01);
    const auto visible = visible_segment(line, kDrawing);
    const double length =
        std::hypot(visible->end[0] - visible->begin[0], visible->end[1] - visible->begin[1]);
    const auto found = follow(image, {line.theta + 0.4 * kOneDegree, line.rho + 2.0});
    ASSERT_TRUE(found);
    EXPECT_GT(found->longest, 0.9 * length) << line.theta << " " << line.rho;
    EXPECT_NEAR(side_of(found->line, visible->midpoint()[0], visible->midpoint()[1]), 0.0, 0.3);
    EXPECT_LT(angle_between(found->line.theta, line.theta), 0.15 * kOneDegree);
  }
}

TEST(DrawnLines, AThinLineIsOneLine) {
  for (const double width : {1.0, 2.0, 4.0, 6.0}) {
    const PixelLine line{1.2, 17.0};
    const auto image =
        drawn([&](double x, double y) { return std::abs(side_of(line, x, y)) <= 0.5 * width; });
    const auto found = follow(image, {line.theta, line.rho + 1.0});
    ASSERT_TRUE(found) << width;
    EXPECT_NEAR(found->line.rho, line.rho, 0.3) << width;
  }
  const auto wide = drawn([&](double x, double) { return std::abs(x) <= 10.0; });
  EXPECT_NEAR(std::abs(follow(wide, {0.0, 8.0})->line.rho), 10.0, 0.6);
}

// As a window's border and another farther along, four pixels beside it.
TEST(DrawnLines, DoesNotJoinDifferentEdges) {
  const auto image =
      drawn([](double x, double y) { return (x < -40.0 && y < 10.0) || (x > 60.0 && y < 14.0); });
  const auto found = follow(image, {pi / 2 - 0.7 * kOneDegree, 12.0});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->line.theta, pi / 2, 0.1 * kOneDegree);
  EXPECT_NEAR(found->line.rho, 10.0, 0.6);
  EXPECT_EQ(found->others, 0.0);
}

TEST(DrawnLines, AddsThePiecesOfOneEdge) {
  const auto image = drawn([](double x, double y) {
    return y < 10.0 && (x < -50.0 || (x > 0.0 && x < 80.0) || x > 120.0);
  });
  const auto found = follow(image, {pi / 2, 12.0});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->longest, 150.0, 4.0);
  EXPECT_NEAR(found->others, 160.0, 8.0);
  EXPECT_EQ(found->opposite, 0.0);
}

TEST(DrawnLines, TellsOppositeEdges) {
  const auto image = drawn([](double x, double y) { return x < 20.0 ? y < 10.0 : y > 10.0; });
  const auto found = follow(image, {pi / 2, 10.0});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->longest, 220.0, 5.0);
  EXPECT_NEAR(found->opposite, 180.0, 5.0);
}

TEST(DrawnLines, CurvesAreStraightForAShortWayOnly) {
  const auto disc = drawn([](double x, double y) { return std::hypot(x, y) < 110.0; });
  const auto tangent = follow(disc, {0.3, 110.0});
  EXPECT_LT(tangent->longest, 45.0);
  EXPECT_GT(tangent->bent, tangent->longest);
}

TEST(DrawnLines, RowsOfLettersHaveShortPieces) {
  test::Random random;
  GrayImage row(kDrawing, 1.0F);
  for (int column = 10; column < 390; column += random.integer(6, 11))
    for (int y = 0; y < 9; ++y)
      for (int x = 0; x < 5; ++x)
        if (random.uniform() < 0.5) row.at(column + x, 150 + y) = 0.0F;
  for (int offset = -2; offset < 12; ++offset) {
    const auto found = follow(row, {pi / 2, static_cast<double>(offset)}, 3);
    EXPECT_LT(found ? found->longest : 0.0, 24.0);
  }
}

TEST(DrawnLines, NeedsNoEdge) {
  EXPECT_FALSE(follow(GrayImage(kDrawing, 0.5F), {0.4, 10.0}));
  EXPECT_FALSE(follow(GrayImage(kDrawing, 0.5F), {0.4, 1000.0}));
  EXPECT_FALSE(follow(GrayImage(2, 2, 0.5F), {0.4, 0.0}));
}

}  // namespace
}  // namespace vsmax
