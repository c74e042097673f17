// SPDX-License-Identifier: Apache-2.0
#include "draw/canvas.h"

#include <gtest/gtest.h>

#include <limits>

#include "picture_pixels.h"

namespace vsmax::drawing {
namespace {

constexpr Color kBlack{0, 0, 0};
constexpr Color kWhite{255, 255, 255};

double column_sum(const RgbImage& picture, int column) {
  double sum = 0.0;
  for (int row = 0; row < picture.height; ++row) sum += pixel(picture, column, row)[1] / 255.0;
  return sum;
}

TEST(Canvas, LineCoversItsWidthWhereverItLies) {
  for (const double y : {10.0, 10.25, 10.5, 10.9})
    for (const double width : {1.0, 1.5, 4.0}) {
      RgbImage picture(40, 20);
      draw_line(picture, {-5.0, y}, {60.0, y}, {kWhite, width});
      EXPECT_NEAR(column_sum(picture, 20), width, 0.01) << "at " << y << ", width " << width;
    }
}

TEST(Canvas, LineEndsAtItsEnds) {
  RgbImage picture(40, 20);
  draw_line(picture, {10.0, 10.0}, {30.0, 10.0}, {kWhite, 2.0});
  EXPECT_EQ(pixel(picture, 20, 10), kWhite);
  EXPECT_EQ(pixel(picture, 7, 10), kBlack);
  EXPECT_EQ(pixel(picture, 32, 10), kBlack);
}

TEST(Canvas, LineWithoutLengthIsADisc) {
  RgbImage picture(41, 41);
  draw_line(picture, {20.5, 20.5}, {20.5, 20.5}, {kWhite, 24.0});
  for (const auto& [column, row] : {std::pair{20, 20}, {31, 20}, {20, 9}, {28, 28}})
    EXPECT_EQ(pixel(picture, column, row), kWhite);
  for (const auto& [column, row] : {std::pair{34, 20}, {20, 6}, {31, 31}})
    EXPECT_EQ(pixel(picture, column, row), kBlack);
}

TEST(Canvas, OpacityMixes) {
  RgbImage picture(1, 1);
  draw_line(picture, {0.5, 0.5}, {0.5, 0.5}, {{200, 100, 50}, 4.0, 0.5});
  EXPECT_EQ(pixel(picture, 0, 0), (Color{100, 50, 25}));
}

TEST(Canvas, NothingIsDrawnOutside) {
  RgbImage picture(5, 4);
  draw_line(picture, {-100.0, -50.0}, {-3.0, 900.0}, {kWhite, 2.0});
  draw_line(picture, {8.0, 2.0}, {8.0, 2.0}, {kWhite, 2.0});
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 5; ++column) EXPECT_EQ(pixel(picture, column, row), kBlack);
}

TEST(Canvas, SurvivesCoordinatesBeyondInteger) {
  const double infinity = std::numeric_limits<double>::infinity();
  RgbImage picture(5, 5);
  draw_line(picture, {-1e12, 2.5}, {1e12, 2.5}, {kWhite, 1.0});
  EXPECT_EQ(pixel(picture, 2, 2), kWhite);
  draw_line(picture, {0.0, infinity}, {1.0, 1.0}, {kWhite, 1.0});
  draw_line(picture, {std::numeric_limits<double>::quiet_NaN(), 0.0}, {3.0, 3.0}, {kWhite, 1.0});
  draw_line(picture, {0.0, 1e300}, {0.0, 1e300}, {kWhite, 1.0});
  EXPECT_EQ(pixel(picture, 2, 4), kBlack);
}

TEST(Canvas, GreyIsClippedAndNanIsBlack) {
  GrayImage image(4, 1);
  image.pixels = {-1.0F, 0.5F, 7.0F, std::numeric_limits<float>::quiet_NaN()};
  const RgbImage picture = gray_picture(image);
  EXPECT_EQ(pixel(picture, 0, 0), kBlack);
  EXPECT_EQ(pixel(picture, 1, 0), (Color{128, 128, 128}));
  EXPECT_EQ(pixel(picture, 2, 0), kWhite);
  EXPECT_EQ(pixel(picture, 3, 0), kBlack);
}

}  // namespace
}  // namespace vsmax::drawing
