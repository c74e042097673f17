// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/error_message.h"
#include "support/hough_images.h"

namespace vsmax {
namespace {

using std::numbers::pi;
using test::throws_error_with;

TEST(HoughGrid, RejectsInvalidSizesAndNamesTheValue) {
  EXPECT_TRUE(throws_error_with({"R", "126"}, [] { HoughGrid({64, 64}, 31, 126); }));
  EXPECT_TRUE(throws_error_with({"R", "not 2"}, [] { HoughGrid({64, 64}, 31, 2); }));
  EXPECT_TRUE(throws_error_with({"R", "not 1"}, [] { HoughGrid({64, 64}, 31, 1); }));
  EXPECT_TRUE(throws_error_with({"R", "-3"}, [] { HoughGrid({64, 64}, 31, -3); }));
  EXPECT_TRUE(throws_error_with({"R", "1000001"}, [] { HoughGrid({64, 64}, 31, 1000001); }));
  EXPECT_TRUE(throws_error_with({"T", "not 0"}, [] { HoughGrid({64, 64}, 0, 31); }));
  EXPECT_TRUE(throws_error_with({"T", "-7"}, [] { HoughGrid({64, 64}, -7, 31); }));
  EXPECT_TRUE(throws_error_with({"T", "1000000"}, [] { HoughGrid({64, 64}, 1000000, 31); }));
  EXPECT_TRUE(throws_error_with({"1x5"}, [] { HoughGrid({1, 5}, 31, 31); }));
  EXPECT_TRUE(throws_error_with({"5x1"}, [] { HoughGrid({5, 1}, 31, 31); }));
  EXPECT_TRUE(throws_error_with({"0x0"}, [] { HoughGrid({0, 0}, 31, 31); }));
  EXPECT_TRUE(throws_error_with({"-4x4"}, [] { HoughGrid({-4, 4}, 31, 31); }));
}

TEST(HoughGrid, AcceptsTheSmallest) {
  EXPECT_NO_THROW(HoughGrid({2, 2}, 1, 3));
  EXPECT_NO_THROW(HoughGrid({2, 3}, 2, 5));
}

TEST(HoughGrid, OfThePaperHas14395ResolvableCells) {
  const HoughGrid grid = HoughGrid::paper();
  EXPECT_EQ(grid.cells(), 16129U);
  EXPECT_EQ(grid.resolvable_cells().size(), 14395U);
  EXPECT_NEAR(grid.bin_width(), 2.862, 5e-4);
  EXPECT_NEAR(grid.frame().half_diagonal(), 127.5 * std::numbers::sqrt2, 1e-12);
}

TEST(HoughGrid, SpansTheHalfCircleEvenly) {
  for (const int thetas : {1, 2, 3, 64, 127}) {
    const HoughGrid grid({64, 48}, thetas, 31);
    for (int t = 0; t < thetas; ++t) {
      EXPECT_NEAR(grid.theta(t), pi * t / thetas, 1e-15);
      EXPECT_NEAR(grid.cos_theta(t), std::cos(grid.theta(t)), 1e-15);
      EXPECT_NEAR(grid.sin_theta(t), std::sin(grid.theta(t)), 1e-15);
    }
  }
}

TEST(HoughGrid, SpansRhoSymmetricallyFromMinusDToD) {
  for (const auto& grid : test::many_grids()) {
    const int last = grid.rhos() - 1;
    for (int r = 0; r <= last; ++r) {
      EXPECT_EQ(grid.rho(r), -grid.rho(last - r));
      EXPECT_EQ(grid.shape().rho(r), -grid.shape().rho(last - r));
      EXPECT_NEAR(grid.rho(r), grid.shape().rho(r) * grid.frame().half_diagonal(), 1e-12);
    }
    EXPECT_EQ(grid.rho(last / 2), 0.0);
    EXPECT_EQ(grid.shape().rho(last), 1.0);
    EXPECT_EQ(grid.line({grid.thetas() - 1, last}).rho, grid.rho(last));
    EXPECT_EQ(grid.line({grid.thetas() - 1, last}).theta, grid.theta(grid.thetas() - 1));
  }
}

TEST(HoughGrid, PutsEveryPixelIntoTheNearestBin) {
  for (const auto& grid : test::many_grids()) {
    const auto [width, height] = grid.frame();
    for (int t = 0; t < grid.thetas(); ++t)
      for (int row = 0; row < height; row += std::max(1, (height - 1) / 9))
        for (int column = 0; column < width; column += std::max(1, (width - 1) / 9)) {
          const int bin = grid.bin(t, column, row);
          ASSERT_GE(bin, 0) << test::name_of(grid);
          ASSERT_LT(bin, grid.rhos()) << test::name_of(grid);
          const double offset = grid.frame().x(column) * std::cos(grid.theta(t)) +
                                grid.frame().y(row) * std::sin(grid.theta(t));
          ASSERT_LE(std::abs(offset - grid.rho(bin)), grid.bin_width() * (0.5 + 1e-9));
        }
  }
}

TEST(HoughGrid, KeepsTheCornersOfEverySizeInRange) {
  for (int width = 2; width < 40; ++width)
    for (int height = 2; height < 40; ++height)
      for (const int rhos : {3, 11, 127, 1001}) {
        const HoughGrid grid({width, height}, 24, rhos);
        for (int t = 0; t < grid.thetas(); ++t)
          for (const int row : {0, height - 1})
            for (const int column : {0, width - 1}) {
              const int bin = grid.bin(t, column, row);
              ASSERT_TRUE(bin >= 0 && bin < rhos) << test::name_of(grid) << ", t " << t;
            }
      }
}

TEST(HoughGrid, PutsACornerIntoTheOutermostBinWhereTheDiagonalIsOnTheGrid) {
  const HoughGrid grid({65, 65}, 64, 65);
  EXPECT_EQ(grid.bin(16, 64, 64), 64);  // theta = pi/4
  EXPECT_EQ(grid.bin(16, 0, 0), 0);
  EXPECT_EQ(grid.bin(48, 0, 64), 64);  // theta = 3 pi/4
  EXPECT_EQ(grid.bin(48, 64, 0), 0);
}

TEST(HoughGrid, ResolvesTheLinesThatCrossTheBox) {
  for (const auto& grid : test::many_grids()) {
    std::size_t count = 0;
    for (int t = 0; t < grid.thetas(); ++t)
      for (int r = 0; r < grid.rhos(); ++r) {
        const Cell cell{t, r};
        const auto segment = visible_segment(grid.line(cell), grid.frame());
        if (grid.resolvable(cell)) {
          EXPECT_TRUE(segment) << test::name_of(grid) << ": " << t << ", " << r;
          ++count;
        } else if (segment) {  // touches at a point or runs along an edge
          EXPECT_NEAR(std::abs(grid.rho(r)),
                      grid.frame().reach(grid.cos_theta(t), grid.sin_theta(t)), 1e-9);
        }
      }
    EXPECT_EQ(grid.resolvable_cells().size(), count);
  }
}

TEST(HoughGrid, IsEqualOnlyToTheSameGrid) {
  const HoughGrid grid({64, 48}, 31, 33);
  EXPECT_TRUE(grid == HoughGrid({64, 48}, 31, 33));
  EXPECT_FALSE(grid == HoughGrid({48, 64}, 31, 33));
  EXPECT_FALSE(grid == HoughGrid({64, 48}, 33, 33));
  EXPECT_FALSE(grid == HoughGrid({64, 48}, 31, 31));
}

}  // namespace
}  // namespace vsmax
