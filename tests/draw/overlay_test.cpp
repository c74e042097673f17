// SPDX-License-Identifier: Apache-2.0
#include "draw/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "draw/line_colors.h"
#include "picture_pixels.h"

namespace vsmax::drawing {
namespace {

Recovery recovery_of(const GrayImage& image, PixelLine line) {
  return {{{line, 0.97, visible_segment(line, {image.width, image.height})}}};
}

bool is_coloured(Color color) { return color[0] > color[1] + 40; }

struct Colouring {
  int count = 0;
  double farthest = 0.0;  // image pixels from the line, away from its end marks
};

Colouring colouring_of(const GrayImage& image, PixelLine line) {
  const Recovery recovery = recovery_of(image, line);
  const RgbImage picture = draw_overlay(image, recovery);
  const auto& visible = recovery.lines.front().visible;
  Colouring result;
  for (int row = 0; row < picture.height; ++row)
    for (int column = 0; column < picture.width; ++column) {
      if (!is_coloured(pixel(picture, column, row))) continue;
      ++result.count;
      const double x = (column + 0.5) * image.width / picture.width - 0.5 * image.width;
      const double y = (row + 0.5) * image.height / picture.height - 0.5 * image.height;
      const auto near_end = [&](const std::array<double, 2>& end) {
        return std::hypot(x - end[0], y - end[1]) < 0.03 * image.width;
      };
      if (visible && (near_end(visible->begin) || near_end(visible->end))) continue;
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

TEST(Overlay, ShowsHowFarOffTheLineMayBe) {
  const GrayImage image(200, 160, 0.0F);
  const PixelLine line{0.0, 10.0};  // upright; y runs along it
  Recovery recovery = recovery_of(image, line);
  const RgbImage without = draw_overlay(image, recovery, {200, 160});
  // The line is known best at y = 40, where both errors cancel but for 1 px.
  recovery.lines[0].spread = LineSpread{0.05, std::hypot(2.0, 1.0), 2.0 / std::hypot(2.0, 1.0)};
  const RgbImage picture = draw_overlay(image, recovery, {200, 160});
  const auto reach = [&](int row) {  // of the colour, to the right of the line
    int last = 0;
    for (int column = 110; column < 200; ++column)
      if (is_coloured(pixel(picture, column, row))) last = column;
    return last - 109.5;
  };
  EXPECT_FALSE(is_coloured(pixel(without, 116, 80)));
  EXPECT_NEAR(reach(120), 1.96 * 1.0, 1.6);
  EXPECT_NEAR(reach(80), 1.96 * std::hypot(2.0, 1.0), 1.6);
  EXPECT_NEAR(reach(20), 1.96 * std::hypot(5.0, 1.0), 1.6);
}

TEST(Overlay, MarksTheEndsOfTheLine) {
  const GrayImage image(200, 100, 0.5F);
  const Recovery recovery = recovery_of(image, {1.2, 10.0});
  const RgbImage picture = draw_overlay(image, recovery);  // three times as large
  const Segment visible = recovery.lines.front().visible.value();
  for (const auto& end : {visible.begin, visible.end}) {
    const Point at = position_in_picture({200, 100}, picture.width, picture.height, end);
    const int column = static_cast<int>(at.x);
    const int row = static_cast<int>(at.y);
    EXPECT_TRUE(is_coloured(pixel(picture, column, row)));
    int white = 0;  // the rim of the mark, as far as it lies inside the picture
    for (int y = std::max(row - 6, 0); y <= std::min(row + 6, picture.height - 1); ++y)
      for (int x = std::max(column - 6, 0); x <= std::min(column + 6, picture.width - 1); ++x)
        white += pixel(picture, x, y)[2] > 200 ? 1 : 0;
    EXPECT_GT(white, 7);
  }
}

TEST(Overlay, SeveralLinesHaveColoursOfTheirOwn) {
  const GrayImage image(256, 256, 0.2F);
  Recovery recovery;
  for (const PixelLine line : {PixelLine{0.0, -90.0}, {0.0, -20.0}, {0.0, 70.0}})
    recovery.lines.push_back({line, 0.9, visible_segment(line, image.frame())});
  const RgbImage picture = draw_overlay(image, recovery);
  std::set<Color> colors;
  for (std::size_t rank = 0; rank < recovery.lines.size(); ++rank) {
    const Point at = position_in_picture(image.frame(), picture.width, picture.height,
                                         {recovery.lines[rank].line.rho, 0.0});
    const Color drawn = pixel(picture, static_cast<int>(at.x), static_cast<int>(at.y));
    EXPECT_EQ(drawn, line_color(rank)) << rank;
    colors.insert(drawn);
  }
  EXPECT_EQ(colors.size(), recovery.lines.size());
}

TEST(Overlay, SmallIsEnlargedByWholeFactorsAndLargeReduced) {
  const auto size_of = [](int width, int height) {
    const RgbImage picture = draw_overlay(GrayImage(width, height), {});
    return std::pair{picture.width, picture.height};
  };
  EXPECT_EQ(size_of(2, 2), (std::pair{640, 640}));
  EXPECT_EQ(size_of(40, 30), (std::pair{640, 480}));
  EXPECT_EQ(size_of(256, 256), (std::pair{512, 512}));
  EXPECT_EQ(size_of(800, 600), (std::pair{800, 600}));
  EXPECT_EQ(size_of(3200, 2400), (std::pair{1600, 1200}));
}

TEST(Overlay, ThinImagesAreStretched) {
  const auto size_of = [](int width, int height) {
    const RgbImage picture = draw_overlay(GrayImage(width, height), {});
    return std::pair{picture.width, picture.height};
  };
  EXPECT_EQ(size_of(1600, 64), (std::pair{1600, 64}));
  EXPECT_EQ(size_of(1600, 10), (std::pair{1600, 70}));  // by a whole factor
  EXPECT_EQ(size_of(20000, 2), (std::pair{1600, 64}));
  EXPECT_EQ(size_of(2, 20000), (std::pair{64, 1600}));
  EXPECT_EQ(size_of(20000, 100), (std::pair{1600, 64}));
}

TEST(Overlay, ALineAcrossAStretchedImageReachesItsCorners) {
  const GrayImage image(20000, 20, 0.3F);
  const PixelLine line{std::atan2(19999.0, -19.0), 0.0};  // the diagonal
  const RgbImage picture = draw_overlay(image, recovery_of(image, line));
  for (int column = 100; column < picture.width; column += 200) {
    int first = picture.height;
    int last = 0;
    for (int row = 0; row < picture.height; ++row)
      if (is_coloured(pixel(picture, column, row))) {
        first = std::min(first, row);
        last = row;
      }
    EXPECT_NEAR(0.5 * (first + last) / picture.height, (column + 0.5) / picture.width, 0.05);
    EXPECT_LE(last - first, 8);
  }
}

TEST(Overlay, EnlargementRepeatsPixels) {
  for (const int width : {5, 7, 90}) {
    GrayImage image(width, 3);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      image.pixels[i] = static_cast<float>((i * 37) % 101) / 100.0F;
    const RgbImage small = gray_picture(image);
    const RgbImage large = draw_overlay(image, {});
    const int factor = large.width / width;
    const int down = large.height / 3;
    ASSERT_EQ(large.height, 3 * down);
    for (int row = 0; row < large.height; ++row)
      for (int column = 0; column < large.width; ++column)
        ASSERT_EQ(pixel(large, column, row), pixel(small, column / factor, row / down));
  }
}

TEST(Overlay, WithoutVisibleLineThereIsNoColour) {
  const GrayImage image(256, 256, 0.5F);
  const RgbImage picture = draw_overlay(image, {});
  for (int row = 0; row < picture.height; ++row)
    for (int column = 0; column < picture.width; ++column)
      ASSERT_FALSE(is_coloured(pixel(picture, column, row)));
  EXPECT_EQ(colouring_of(image, {0.5, 500.0}).count, 0);
}

}  // namespace
}  // namespace vsmax::drawing
