// SPDX-License-Identifier: Apache-2.0
#include "draw/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "draw/line_picture.h"
#include "draw/theme.h"

namespace vsmax::drawing {
namespace {

Recovery recovery_of(const GrayImage& image, PixelLine line) {
  return {{{line, 0.97, visible_segment(line, {image.width, image.height})}}};
}

Color pixel(const RgbImage& image, int column, int row) {
  const auto i = 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(column));
  return {image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]};
}

bool is_coloured(Color color) { return color.red > color.green + 40; }

struct Colouring {
  int count = 0;
  double farthest = 0.0;  // image pixels from the line
};

Colouring colouring_of(const GrayImage& image, PixelLine line) {
  const Recovery recovery = recovery_of(image, line);
  const RgbImage picture = draw_overlay(image, recovery);
  const OverlaySize size = overlay_size(image, recovery);
  Colouring result;
  for (int row = 0; row < picture.height; ++row)
    for (int column = 0; column < picture.width; ++column) {
      if (!is_coloured(pixel(picture, column, row))) continue;
      ++result.count;
      const double x = (column - size.x + 0.5) * image.width / size.image_width - 0.5 * image.width;
      const double y = (row + 0.5) * image.height / size.image_height - 0.5 * image.height;
      result.farthest = std::max(result.farthest, std::abs(x * std::cos(line.theta) +
                                                           y * std::sin(line.theta) - line.rho));
    }
  return result;
}

TEST(Overlay, ColourLiesOnTheLine) {
  for (const float ground : {0.0F, 0.5F, 1.0F})
    for (const PixelLine line :
         {PixelLine{0.7, 30.0}, {2.2, -45.0}, {0.0, 60.0}, {1.5708, -100.0}, {3.13, 5.0}}) {
      const GrayImage image(256, 256, ground);
      const Colouring colouring = colouring_of(image, line);
      EXPECT_LT(colouring.farthest, 1.0) << line.theta;  // half a pixel of shift would fail
      EXPECT_GT(colouring.count, 2 * 150) << line.theta << " on " << ground;
    }
}

TEST(Overlay, ColourLiesOnTheLineWhenReduced) {
  const Colouring colouring = colouring_of(GrayImage(3200, 2400, 0.3F), {1.2, -400.0});
  EXPECT_LT(colouring.farthest, 2.0 * 5.0);  // a line of some six pixels, each two wide
  EXPECT_GT(colouring.count, 1200);
}

TEST(Overlay, SmallIsEnlargedByWholeFactorsAndLargeReduced) {
  const auto size_of = [](int width, int height) {
    const OverlaySize size = overlay_size(GrayImage(width, height), {});
    return std::pair{size.image_width, size.image_height};
  };
  EXPECT_EQ(size_of(2, 2), (std::pair{640, 640}));
  EXPECT_EQ(size_of(40, 30), (std::pair{640, 480}));
  EXPECT_EQ(size_of(256, 256), (std::pair{512, 512}));
  EXPECT_EQ(size_of(800, 600), (std::pair{800, 600}));
  EXPECT_EQ(size_of(1600, 10), (std::pair{1600, 10}));
  EXPECT_EQ(size_of(3200, 2400), (std::pair{1600, 1200}));
  EXPECT_EQ(size_of(9000, 2), (std::pair{1600, 1}));
}

// A caption that reached the border would have been cut there.
TEST(Overlay, CaptionKeepsItsMargins) {
  for (const auto& [width, height] :
       {std::pair{2, 2}, {256, 256}, {3000, 20}, {20, 3000}, {3, 700}, {641, 5}, {1200, 900}})
    for (const double rho : {0.0, -1e5}) {
      const GrayImage image(width, height, 0.5F);
      const Recovery recovery = recovery_of(image, {1.234, rho});
      const RgbImage picture = draw_overlay(image, recovery);
      const OverlaySize size = overlay_size(image, recovery);
      ASSERT_GE(picture.width, size.image_width);
      for (int row = size.image_height + 1; row < picture.height; ++row) {
        ASSERT_EQ(pixel(picture, 4, row), kPaper);
        ASSERT_EQ(pixel(picture, picture.width - 5, row), kPaper) << width << "x" << height;
      }
      for (int column = 0; column < picture.width; ++column)
        for (const int row : {size.image_height + 3, picture.height - 4})
          ASSERT_EQ(pixel(picture, column, row), kPaper) << width << "x" << height;
    }
}

TEST(Overlay, WithoutLineThereIsNoColour) {
  const RgbImage picture = draw_overlay(GrayImage(256, 256, 0.5F), {});
  for (int row = 0; row < picture.height; ++row)
    for (int column = 0; column < picture.width; ++column)
      ASSERT_FALSE(is_coloured(pixel(picture, column, row)));
  EXPECT_EQ(describe({}), std::vector<std::string>{"no line"});
}

TEST(Overlay, SaysSoWhenTheLineIsOutside) {
  const GrayImage image(64, 64);
  const auto says_outside = [&](double rho) {
    const auto items = describe(recovery_of(image, {0.5, rho}));
    return std::find(items.begin(), items.end(), "outside the image") != items.end();
  };
  EXPECT_FALSE(says_outside(10.0));
  EXPECT_TRUE(says_outside(500.0));
  EXPECT_EQ(colouring_of(image, {0.5, 500.0}).count, 0);
}

TEST(Overlay, DescribesInDegreesAndPixels) {
  const auto items = describe(recovery_of(GrayImage(64, 64), {0.5235987755982988, -4.0}));
  EXPECT_EQ(items,
            (std::vector<std::string>{"theta 30.00 deg", "rho -4.00 px", "confidence 0.97"}));
}

}  // namespace
}  // namespace vsmax::drawing
