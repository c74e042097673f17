// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/erase_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "support/lines.h"

namespace vsmax {
namespace {

constexpr ImageFrame kFrame{120, 90};

double sum_of(const GrayImage& image) {
  return std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0);
}

// White where the distance to the line is at most half the width.
GrayImage stroke(PixelLine line, double width, float ground = 0.0F) {
  GrayImage image(kFrame.width, kFrame.height, ground);
  for (int row = 0; row < kFrame.height; ++row)
    for (int column = 0; column < kFrame.width; ++column)
      if (std::abs(kFrame.x(column) * std::cos(line.theta) + kFrame.y(row) * std::sin(line.theta) -
                   line.rho) <= 0.5 * width)
        image.at(column, row) = 1.0F;
  return image;
}

TEST(EraseLine, LeavesTheGroundOfACleanLine) {
  for (const PixelLine& line : test::long_lines(kFrame)) {
    GrayImage image = test::image_of(kFrame, line);
    erase_line(image.pixels, kFrame, line);
    EXPECT_EQ(sum_of(image), 0.0) << line.theta << ", " << line.rho;
  }
}

TEST(EraseLine, ErasesLinesThatAreAlmostLevel) {
  for (const double slope : {1e-5, 1e-7, 1e-8, 2e-9, 1e-11})
    for (const double sign : {-1.0, 1.0}) {
      const PixelLine line{std::numbers::pi / 2.0 + sign * slope, 10.0};
      GrayImage image = test::image_of(kFrame, line);
      erase_line(image.pixels, kFrame, line);
      EXPECT_EQ(sum_of(image), 0.0) << sign * slope;
    }
}

TEST(EraseLine, MeasuresTheWidth) {
  for (const double width : {1.0, 3.0, 6.0, 9.0})
    for (const float ground : {0.0F, 0.25F}) {
      const PixelLine line{0.8, 6.0};
      GrayImage image = stroke(line, width, ground);
      erase_line(image.pixels, kFrame, line);
      for (const float pixel : image.pixels) ASSERT_EQ(pixel, ground) << width;
    }
}

TEST(EraseLine, AllowsForALineThatIsSlightlyOff) {
  const PixelLine line{1.3, -12.0};
  for (const PixelLine found : {PixelLine{1.3, -9.0}, {1.31, -12.0}, {1.3, -14.5}}) {
    GrayImage image = test::image_of(kFrame, line);
    erase_line(image.pixels, kFrame, found);
    EXPECT_EQ(sum_of(image), 0.0) << found.theta << ", " << found.rho;
  }
}

TEST(EraseLine, LeavesAnotherLineExceptNearTheCrossing) {
  const PixelLine first{0.4, 3.0};
  for (const double angle : {0.2, 0.5, 1.5}) {
    const PixelLine second{0.4 + angle, 3.0};
    const std::vector<PixelLine> lines{first, second};
    GrayImage both(kFrame);
    render_lines(kFrame, lines, 0.0, {}, both.pixels);
    erase_line(both.pixels, kFrame, first);
    const GrayImage alone = test::image_of(kFrame, second);
    double lost = 0.0;
    for (std::size_t i = 0; i < both.pixels.size(); ++i)
      lost += std::abs(static_cast<double>(both.pixels[i] - alone.pixels[i]));
    EXPECT_LT(lost, 14.0 / std::sin(angle)) << angle;
    EXPECT_LT(lost, 0.5 * sum_of(alone) + 14.0) << angle;
  }
}

TEST(EraseLine, KeepsTheLevelOfNoise) {
  const ImageFrame frame{256, 256};
  const PixelLine line{0.9, 20.0};
  GrayImage image = test::image_of(frame, line, 0.4);
  const double noise = sum_of(test::noise_image(frame, 0.4));
  erase_line(image.pixels, frame, line);
  EXPECT_NEAR(sum_of(image), noise, 30.0);  // the line itself adds about 150
}

TEST(EraseLine, ChangesNothingForALineOutside) {
  GrayImage image = test::image_of(kFrame, {0.4, 3.0}, 0.3);
  const GrayImage before = image;
  for (const double rho : {100.0, -400.0, 1e9}) erase_line(image.pixels, kFrame, {1.0, rho});
  EXPECT_EQ(image.pixels, before.pixels);
}

// Its foot is erased as well, but not the opposite edge of a narrow shape.
TEST(EraseEdge, TakesItsFootAlong) {
  const double columns[] = {-5.0, -4.0, -2.0, 0.0, 2.0, 4.0, 4.9};
  for (const double turn : {0.0, 0.3, 2.0}) {
    const double c = std::cos(turn);
    const double s = std::sin(turn);
    std::vector<Gradient> gradients(kFrame.pixels());
    const auto at = [&](double distance) -> Gradient& {
      return gradients[kFrame.index(
          static_cast<int>(std::lround(distance * c + kFrame.half_width())),
          static_cast<int>(std::lround(distance * s + kFrame.half_height())))];
    };
    for (int row = 0; row < kFrame.height; ++row)
      for (int column = 0; column < kFrame.width; ++column) {
        const double distance = kFrame.x(column) * c + kFrame.y(row) * s;
        const double step = std::abs(distance) <= 6.0        ? 1.0
                            : std::abs(distance - 9.0) < 2.0 ? -1.0
                                                             : 0.0;
        gradients[kFrame.index(column, row)] = {static_cast<float>(step * c),
                                                static_cast<float>(step * s)};
      }
    const Gradient opposite = at(9.0);
    erase_edge(gradients, kFrame, {turn, 1.0});
    for (const double distance : columns) {
      EXPECT_EQ(at(distance * 0.8 + 1.0).x, 0.0F) << turn << ", " << distance;
      EXPECT_EQ(at(distance * 0.8 + 1.0).y, 0.0F) << turn << ", " << distance;
    }
    EXPECT_EQ(at(9.0).x, opposite.x) << turn;
    EXPECT_NE(std::hypot(at(9.0).x, at(9.0).y), 0.0F) << turn;
  }
}

}  // namespace
}  // namespace vsmax
