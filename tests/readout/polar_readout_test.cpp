// SPDX-License-Identifier: Apache-2.0
// The readouts in polar coordinates: argmax and soft-argmax.
#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"

namespace vsmax {
namespace {

const std::vector<HoughGrid> kGrids{{{48, 36}, 12, 13}, {{31, 77}, 15, 21}, {{2, 2}, 1, 3}};

TEST(SoftArgmax, OfOneCellIsThatCell) {
  for (const auto& grid : kGrids) {
    std::vector<double> p(grid.cells(), 0.0);
    for (int t = 0; t < grid.thetas(); ++t)
      for (int r = 0; r < grid.rhos(); ++r) {
        double& here = p[static_cast<std::size_t>(t * grid.rhos() + r)];
        here = 1.0;
        const PolarMean mean = soft_argmax(grid, p.data());
        EXPECT_NEAR(mean[0], grid.theta(t), 1e-12);
        EXPECT_NEAR(mean[1], grid.rho_unit(r), 1e-12);
        here = 0.0;
      }
  }
}

TEST(SoftArgmax, IsTheMeanOfThePolarCoordinates) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const auto p = random.uniforms<double>(grid.cells());
    double theta = 0.0;
    double rho = 0.0;
    for (int t = 0; t < grid.thetas(); ++t)
      for (int r = 0; r < grid.rhos(); ++r) {
        theta += p[static_cast<std::size_t>(t * grid.rhos() + r)] * grid.theta(t);
        rho += p[static_cast<std::size_t>(t * grid.rhos() + r)] * grid.rho(r);
      }
    const PolarMean mean = soft_argmax(grid, p.data());
    EXPECT_NEAR(mean[0], theta, 1e-11);
    EXPECT_NEAR(mean[1], rho / grid.frame().half_diagonal(), 1e-11);
  }
}

TEST(SoftArgmax, OfFloatsIsThatOfDoubles) {
  test::Random random;
  const auto narrow = random.uniforms<float>(kGrids[0].cells());
  const std::vector<double> wide(narrow.begin(), narrow.end());
  EXPECT_EQ(soft_argmax(kGrids[0], narrow.data()), soft_argmax(kGrids[0], wide.data()));
}

TEST(Argmax, IsTheLargestCellOfAll) {
  for (const auto& grid : kGrids) {
    std::vector<float> values(grid.cells(), -5.0F);
    for (int t = 0; t < grid.thetas(); ++t)
      for (int r = 0; r < grid.rhos(); ++r) {
        float& here = values[static_cast<std::size_t>(t * grid.rhos() + r)];
        here = -1.0F;
        const Cell cell = argmax(grid, values.data());
        EXPECT_EQ(cell.t, t);
        EXPECT_EQ(cell.r, r);
        here = -5.0F;
      }
  }
}

TEST(Argmax, IsTheFirstOfEquals) {
  const HoughGrid& grid = kGrids[0];
  std::vector<double> values(grid.cells(), 0.0);
  EXPECT_EQ(argmax(grid, values.data()).t, 0);
  EXPECT_EQ(argmax(grid, values.data()).r, 0);
  values[3 * 13 + 4] = values[3 * 13 + 5] = values[7 * 13 + 1] = 2.0;
  EXPECT_EQ(argmax(grid, values.data()).t, 3);
  EXPECT_EQ(argmax(grid, values.data()).r, 4);
}

}  // namespace
}  // namespace vsmax
