// SPDX-License-Identifier: Apache-2.0
// The mirror laws of the vote, to the last tie; the fast transform rests on them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/hough_images.h"
#include "support/random.h"
#include "vsmax/hough/grid.h"

namespace vsmax {
namespace {

// Votes of this grid that fall exactly between two bins.
int count_ties(const HoughGrid& grid) {
  int ties = 0;
  const auto [width, height] = grid.frame();
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const double offset =
            grid.frame().x(column) * grid.cos_theta(t) + grid.frame().y(row) * grid.sin_theta(t);
        const double bins = std::abs(offset / grid.bin_width());
        ties += bins - std::floor(bins) == 0.5 ? 1 : 0;
      }
  return ties;
}

// (x, y) -> (-x, -y) is rho -> -rho, and x -> -x is theta -> pi - theta, where theta = 0 becomes
// pi, that is 0 with rho flipped. Both are involutions, so half of the pixels try them all.
void expect_mirrors(const HoughGrid& grid) {
  const auto [width, height] = grid.frame();
  const int last = grid.rhos() - 1;
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < (width + 1) / 2; ++column) {
        const int bin = grid.bin(t, column, row);
        ASSERT_EQ(grid.bin(t, width - 1 - column, height - 1 - row), last - bin)
            << test::name_of(grid) << ": t " << t << " at " << column << ", " << row;
        const int mirrored = t == 0 ? last - bin : grid.bin(grid.thetas() - t, column, row);
        ASSERT_EQ(grid.bin(t, width - 1 - column, row), mirrored)
            << test::name_of(grid) << ": t " << t << " at " << column << ", " << row;
      }
}

TEST(GridMirror, HoldsOnEveryShape) {
  for (const auto& grid : test::many_grids()) expect_mirrors(grid);
}

TEST(GridMirror, HoldsOnRandomGrids) {
  test::Random random;
  for (int repeat = 0; repeat < 60; ++repeat)
    expect_mirrors({{random.integer(2, 50), random.integer(2, 50)},
                    random.integer(1, 40),
                    2 * random.integer(1, 60) + 1});
}

TEST(GridMirror, HoldsWhereVotesFallBetweenBins) {
  for (const auto& grid : test::tie_rich_grids()) {
    EXPECT_GT(count_ties(grid), 1000) << "the grid must try the law";
    expect_mirrors(grid);
  }
}

TEST(GridMirror, HoldsOnPythagoreanRectangles) {
  for (const int scale : {1, 2, 4, 5, 10, 20})
    for (const int rhos : {3, 11, 21, 51, 101}) {
      expect_mirrors({{4 * scale + 1, 3 * scale + 1}, 4, rhos});
      expect_mirrors({{3 * scale + 1, 4 * scale + 1}, 6, rhos});
    }
}

TEST(GridMirror, HoldsOnThePapersGrid) { expect_mirrors(HoughGrid::paper()); }

TEST(GridTies, AreRoundedAwayFromZero) {
  const HoughGrid grid({81, 61}, 2, 51);  // bins of 2 pixels, centred at even rho
  ASSERT_DOUBLE_EQ(grid.bin_width(), 2.0);
  EXPECT_EQ(grid.bin(0, 41, 7), 26);  // x = 1
  EXPECT_EQ(grid.bin(0, 39, 7), 24);  // x = -1
  EXPECT_EQ(grid.bin(0, 43, 7), 27);  // x = 3
  EXPECT_EQ(grid.bin(1, 7, 31), 26);  // y = 1
  EXPECT_EQ(grid.bin(1, 7, 29), 24);  // y = -1
  EXPECT_EQ(grid.bin(1, 7, 30), 25);  // y = 0
}

}  // namespace
}  // namespace vsmax
