// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/line_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/lines.h"
#include "support/scenes.h"

namespace vsmax {
namespace {

using std::numbers::pi;

double support_of(const GrayImage& image, PixelLine line, float sign = 1.0F, double error = 1.4) {
  return line_support(image.pixels, image.frame(), line, error, sign);
}

TEST(LineSupport, IsCompleteAlongALine) {
  for (const ImageFrame frame : {ImageFrame{200, 160}, {64, 90}})
    for (const PixelLine& line : test::long_lines(frame))
      EXPECT_GT(support_of(test::image_of(frame, line), line), 0.99) << line.theta;
}

TEST(LineSupport, AllowsForTheErrorOfTheGrid) {
  const ImageFrame frame{200, 160};
  const auto image = test::image_of(frame, {1.1, 20.0}, 0.2);
  EXPECT_GT(support_of(image, {1.105, 21.0}), 0.9);
  EXPECT_LT(support_of(image, {1.4, 21.0}), 0.4);
}

// The bins of large images are wide, and there must still be something to compare the line with.
TEST(LineSupport, IsCompleteWhateverTheError) {
  const ImageFrame frame{200, 160};
  const auto image = test::image_of(frame, {1.1, 20.0}, 0.2);
  for (const double error : {3.0, 9.5, 10.0, 10.5, 11.5, 12.0, 40.0})
    EXPECT_GT(support_of(image, {1.1, 20.0 + 0.5 * std::min(error, 12.0)}, 1.0F, error), 0.9)
        << error;
}

TEST(LineSupport, IsTheShareOfThePartThatIsThere) {
  test::Random random;
  const ImageFrame frame{256, 256};
  for (const double share : {0.75, 0.5}) {
    GrayImage image(frame, 0.3F);
    test::draw(image, {0.6, 30.0}, {2.0, share, 0.4});
    add_noise(image, random, 0.05);
    EXPECT_NEAR(support_of(image, {0.6, 30.0}), share, 0.2);
  }
}

TEST(LineSupport, TellsBrightFromDark) {
  test::Random random;
  GrayImage image({200, 160}, 0.7F);
  test::draw(image, {2.0, -15.0}, {3.0, 1.0, -0.4});
  add_noise(image, random, 0.05);
  EXPECT_GT(support_of(image, {2.0, -15.0}, -1.0F), 0.95);
  EXPECT_LT(support_of(image, {2.0, -15.0}, 1.0F), 0.1);
}

TEST(LineSupport, IsLowOnSpotsStepsAndNoise) {
  test::Random random;
  const ImageFrame frame{256, 200};
  GrayImage spot(frame, 0.2F);
  test::paint(spot, 0.0, [](double x, double y) { return std::hypot(x, y) < 40.0 ? 0.6 : 0.0; });
  EXPECT_LT(support_of(spot, {1.0, 0.0}), 0.2);
  for (int i = 0; i < 20; ++i) {
    const PixelLine line = test::random_line(random, frame);
    EXPECT_LT(support_of(test::step(random, frame, line), line), 0.3);
    EXPECT_LT(support_of(test::white_noise(random, frame), line), 0.3);
  }
}

// At the border there is only one side to compare with.
TEST(LineSupport, KnowsLinesAtTheBorder) {
  const ImageFrame frame{100, 80};
  for (const double rho : {-49.5, -47.5, 49.5})
    EXPECT_GT(support_of(test::image_of(frame, {0.0, rho}), {0.0, rho}), 0.99) << rho;
}

TEST(LineSupport, IsZeroWithoutAVisibleLine) {
  const GrayImage image({50, 40}, 0.5F);
  EXPECT_EQ(support_of(image, {0.3, 500.0}), 0.0);
  EXPECT_EQ(support_of(image, {pi / 2, 3.0}), 0.0);
  EXPECT_EQ(support_of(GrayImage(2, 2, 0.1F), {0.7, 0.0}), 0.0);
}

double distinction_of(const GrayImage& image, PixelLine line, float sign = 1.0F) {
  return distinction(image.pixels, image.frame(), line, 1.4, sign);
}

constexpr PixelLine kAcrossTheCorner{pi / 4, 130.0};  // about 50 of 256 x 200 pixels

TEST(Distinction, IsHighForALineAcrossACorner) {
  test::Random random;
  for (const float sign : {1.0F, -1.0F}) {
    GrayImage image({256, 200}, 0.5F);
    test::draw(image, kAcrossTheCorner, {2.0, 1.0, 0.3 * sign});
    add_noise(image, random, 0.05);
    EXPECT_GT(distinction_of(image, kAcrossTheCorner, sign), 4.0);
    EXPECT_LT(distinction_of(image, kAcrossTheCorner, -sign), 1.0);
  }
}

TEST(Distinction, IsLowForOneStrokeOfMany) {
  GrayImage image({256, 200}, 0.5F);
  for (double rho = -130.0; rho <= 130.0; rho += 26.0)
    test::draw(image, {pi / 4, rho}, {2.0, 1.0, 0.3});
  EXPECT_LT(distinction_of(image, kAcrossTheCorner), 1.3);
}

TEST(Distinction, IsInfiniteForLongLinesAndThoseOutside) {
  const GrayImage image({256, 200}, 0.5F);
  EXPECT_TRUE(std::isinf(distinction_of(image, {pi / 4, 20.0})));
  EXPECT_TRUE(std::isinf(distinction_of(image, {pi / 4, 500.0})));
}

// A step of strength 1 along the upper part of the line, bright on the side of the normal, and one
// of strength 0.5, bright on the other side, along the lower.
TEST(EdgeCoverage, IsTheShareWithAClearEdgeThatIsBrightOnOneSide) {
  const ImageFrame frame{60, 100};
  const PixelLine upright{0.0, 10.0};
  std::vector<Gradient> gradients(frame.pixels());
  for (int row = 0; row < frame.height; ++row)
    gradients[frame.index(40, row)] = row < 70 ? Gradient{1.0F, 0.0F} : Gradient{-0.5F, 0.0F};
  EXPECT_NEAR(edge_coverage(gradients, frame, upright, 1.4, 0.3F), 0.7, 0.02);
  EXPECT_NEAR(edge_coverage(gradients, frame, {pi, -10.0}, 1.4, 0.3F), 0.7, 0.02);
  EXPECT_NEAR(edge_coverage(gradients, frame, {0.0, 12.0}, 1.4, 0.3F), 0.7, 0.02) << "error";
  EXPECT_EQ(edge_coverage(gradients, frame, {0.0, 16.0}, 1.4, 0.3F), 0.0);
  EXPECT_EQ(edge_coverage(gradients, frame, upright, 1.4, 1.1F), 0.0) << "not clear enough";
  EXPECT_EQ(edge_coverage(gradients, frame, {0.2, 10.0}, 1.4, 0.3F), 0.0) << "another direction";
  EXPECT_EQ(edge_coverage(gradients, frame, {0.0, 500.0}, 1.4, 0.3F), 0.0) << "not in the image";
}

}  // namespace
}  // namespace vsmax
