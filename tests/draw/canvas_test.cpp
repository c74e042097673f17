// SPDX-License-Identifier: Apache-2.0
#include "draw/canvas.h"

#include <gtest/gtest.h>

#include <limits>

namespace vsmax::drawing {
namespace {

constexpr Color kBlack{0, 0, 0};
constexpr Color kWhite{255, 255, 255};

double column_sum(const Canvas& canvas, int column) {
  double sum = 0.0;
  for (int row = 0; row < canvas.height(); ++row) sum += canvas.at(column, row).green / 255.0;
  return sum;
}

TEST(Canvas, LineCoversItsWidthWhereverItLies) {
  for (const double y : {10.0, 10.25, 10.5, 10.9})
    for (const double width : {1.0, 1.5, 4.0}) {
      Canvas canvas(40, 20, kBlack);
      canvas.line({-5.0, y}, {60.0, y}, {kWhite, width});
      EXPECT_NEAR(column_sum(canvas, 20), width, 0.01) << "at " << y << ", width " << width;
    }
}

TEST(Canvas, LineEndsAtItsEnds) {
  Canvas canvas(40, 20, kBlack);
  canvas.line({10.0, 10.0}, {30.0, 10.0}, {kWhite, 2.0});
  EXPECT_EQ(canvas.at(20, 10), kWhite);
  EXPECT_EQ(canvas.at(7, 10), kBlack);
  EXPECT_EQ(canvas.at(32, 10), kBlack);
}

TEST(Canvas, RingIsHollow) {
  Canvas canvas(41, 41, kBlack);
  canvas.ring({20.5, 20.5}, 12.0, {kWhite, 3.0});
  EXPECT_EQ(canvas.at(20, 20), kBlack);
  EXPECT_EQ(canvas.at(32, 20), kWhite);
  EXPECT_EQ(canvas.at(20, 8), kWhite);
  EXPECT_EQ(canvas.at(40, 20), kBlack);
}

TEST(Canvas, OpacityMixes) {
  Canvas canvas(1, 1, kBlack);
  canvas.blend(0, 0, {200, 100, 50}, 0.5);
  EXPECT_EQ(canvas.at(0, 0), (Color{100, 50, 25}));
}

TEST(Canvas, NothingIsDrawnOutside) {
  Canvas canvas(5, 4, kBlack);
  canvas.fill({-10, -10, 5, 5}, kWhite);
  canvas.set(5, 0, kWhite);
  canvas.set(0, -1, kWhite);
  canvas.line({-100.0, -50.0}, {-3.0, 900.0}, {kWhite, 2.0});
  const Canvas other(3, 3, kWhite);
  canvas.paste(other, 5, 4);
  canvas.paste(other, -3, 0);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 5; ++column) EXPECT_EQ(canvas.at(column, row), kBlack);
}

TEST(Canvas, SurvivesCoordinatesBeyondInteger) {
  const double infinity = std::numeric_limits<double>::infinity();
  Canvas canvas(5, 5, kBlack);
  canvas.line({-1e12, 2.5}, {1e12, 2.5}, {kWhite, 1.0});
  EXPECT_EQ(canvas.at(2, 2), kWhite);
  canvas.line({0.0, infinity}, {1.0, 1.0}, {kWhite, 1.0});
  canvas.ring({std::numeric_limits<double>::quiet_NaN(), 0.0}, 3.0, {kWhite, 1.0});
  canvas.ring({0.0, 1e300}, 3.0, {kWhite, 1.0});
  EXPECT_EQ(canvas.at(2, 4), kBlack);
}

}  // namespace
}  // namespace vsmax::drawing
