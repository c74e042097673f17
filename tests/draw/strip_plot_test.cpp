// SPDX-License-Identifier: Apache-2.0
#include "draw/strip_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "picture_pixels.h"

namespace vsmax::drawing {
namespace {

TEST(Colormap, BrightnessRisesAndEndsAreClipped) {
  const auto luma = [](Color color) {
    return 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
  };
  for (int i = 0; i < 100; ++i) EXPECT_LT(luma(viridis(0.01 * i)), luma(viridis(0.01 * (i + 1))));
  EXPECT_EQ(viridis(-3.0), viridis(0.0));
  EXPECT_EQ(viridis(7.0), viridis(1.0));
  EXPECT_EQ(viridis(std::numeric_limits<double>::quiet_NaN()), viridis(0.0));
}

// With three angles a reach of four goes round the strip more than once; rho flips at every
// crossing.
TEST(StripPlot, NeighbourhoodFlipsRhoAtEveryCrossingOfTheSeam) {
  const HoughGrid grid({64, 48}, 3, 9);
  std::vector<float> shades(grid.cells(), 0.0F);
  shades[grid.shape().index({1, 2})] = 1.0F;
  const RgbImage picture = neighbourhood_picture(grid, shades, {1, 4}, 4, 1);
  const auto bright = [&](int column, int row) {
    return picture.pixels[3 * static_cast<std::size_t>(row * 9 + column)] > 200;
  };
  for (int column = 0; column < 9; ++column)
    for (int row = 0; row < 9; ++row) {
      // The same angle comes back every three columns, with rho reversed every other time.
      const bool same_angle = column % 3 == 1;
      const int expected_row = column == 4 ? 2 : 6;
      EXPECT_EQ(bright(column, row), same_angle && row == expected_row) << column << ", " << row;
    }
}

// One bright cell must show, and show where its line is said to lie, at any size of grid.
TEST(StripPlot, SingleCellIsNeverLost) {
  for (const auto& [thetas, rhos] : {std::pair{127, 253}, {127, 3}, {1, 3}, {700, 901}})
    for (const double part : {0.0, 0.4, 0.999}) {
      const HoughGrid grid({200, 100}, thetas, rhos);
      const Cell cell{static_cast<int>(part * thetas), static_cast<int>((1.0 - part) * (rhos - 1))};
      std::vector<float> shades(grid.cells(), 0.0F);
      shades[static_cast<std::size_t>(cell.t * rhos + cell.r)] = 1.0F;
      const RgbImage plot = strip_picture(grid, shades, 381);
      const Point at = position_in_plot(grid, 381, grid.line(cell));
      EXPECT_EQ(pixel(plot, static_cast<int>(at.x), static_cast<int>(at.y)), viridis(1.0))
          << thetas << "x" << rhos << " cell " << cell.t << "," << cell.r;
    }
}

// The first angle's cells lie half on the right edge, upside down.
TEST(StripPlot, RightEdgeContinuesTheLeft) {
  const HoughGrid grid({64, 64}, 127, 127);
  std::vector<float> shades(grid.cells(), 0.0F);
  for (int r = 0; r < 127; ++r)
    shades[static_cast<std::size_t>(r)] = static_cast<float>(r) / 126.0F;
  const RgbImage plot = strip_picture(grid, shades, 381);
  for (int row = 0; row < 381; ++row) EXPECT_EQ(pixel(plot, 0, row), pixel(plot, 380, 380 - row));
}

TEST(StripPlot, EquivalentsAreOneLine) {
  for (const PixelLine& name : equivalents({0.3, -7.0})) {
    const PixelLine line = canonical(name);
    EXPECT_NEAR(line.theta, 0.3, 1e-12);
    EXPECT_NEAR(line.rho, -7.0, 1e-12);
  }
}

}  // namespace
}  // namespace vsmax::drawing
