// SPDX-License-Identifier: Apache-2.0
// Wide, dark and partial lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

constexpr ImageFrame kFrame{81, 60};

std::vector<float> drawn(PixelLine line, const Stroke& stroke, double sigma = 0.0,
                         std::uint32_t index = 0) {
  std::vector<float> pixels(kFrame.pixels());
  render_line(kFrame, line, sigma, {42, Split::kTest, 0, index}, pixels, stroke);
  return pixels;
}

double ink(const std::vector<float>& pixels) {
  return std::accumulate(pixels.begin(), pixels.end(), 0.0);
}

TEST(Stroke, IsThePapersUnlessSaidOtherwise) {
  for (const double sigma : {0.0, 0.4}) {
    std::vector<float> plain(kFrame.pixels());
    render_line(kFrame, {0.4, 3.0}, sigma, {42, Split::kTest, 0, 0}, plain);
    EXPECT_EQ(drawn({0.4, 3.0}, {}, sigma), plain);
  }
}

TEST(Stroke, HasItsWidthInEveryRow) {
  for (const int width : {1, 2, 3, 5}) {
    const std::vector<float> pixels = drawn({0.3, 4.2}, {static_cast<double>(width), 1.0, false});
    for (int row = 0; row < kFrame.height; ++row) {
      const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(kFrame.index(0, row));
      EXPECT_EQ(std::accumulate(begin, begin + kFrame.width, 0.0F), static_cast<float>(width));
    }
  }
}

TEST(Stroke, DarkIsTheNegative) {
  for (const double sigma : {0.0, 0.5}) {
    const std::vector<float> bright = drawn({2.0, -7.0}, {}, sigma);
    const std::vector<float> dark = drawn({2.0, -7.0}, {1.0, 1.0, true}, sigma);
    for (std::size_t i = 0; i < bright.size(); ++i) EXPECT_EQ(dark[i], 1.0F - bright[i]);
  }
}

// One piece of the line, of the length asked for, at a place that depends on the sample.
TEST(Stroke, ShowsAShareOfTheLineInOnePiece) {
  const PixelLine line{0.2, 5.0};  // crosses every row once
  const double whole = ink(drawn(line, {}));
  std::vector<int> starts;
  for (std::uint32_t i = 0; i < 20; ++i)
    for (const double visible : {0.25, 0.5, 0.75}) {
      const std::vector<float> pixels = drawn(line, {1.0, visible, false}, 0.0, i);
      EXPECT_NEAR(ink(pixels), visible * whole, 1.01);
      std::vector<int> rows;
      for (int row = 0; row < kFrame.height; ++row)
        for (int column = 0; column < kFrame.width; ++column)
          if (pixels[kFrame.index(column, row)] != 0.0F) rows.push_back(row);
      ASSERT_FALSE(rows.empty());
      EXPECT_EQ(rows.back() - rows.front() + 1, static_cast<int>(rows.size()));
      if (visible == 0.25) starts.push_back(rows.front());
    }
  const auto [first, last] = std::minmax_element(starts.begin(), starts.end());
  EXPECT_LT(*first, kFrame.height / 4);
  EXPECT_GT(*last, kFrame.height / 2);
}

}  // namespace
}  // namespace vsmax
