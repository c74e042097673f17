// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/random.h"

namespace vsmax {
namespace {

constexpr double kPi = std::numbers::pi;

// Lines around one, with theta_sd 0.02, rho_sd 3 and a correlation of 0.6.
std::vector<WeightedLine> normal_lines(PixelLine centre) {
  test::Random random;
  std::vector<WeightedLine> lines(20000);
  for (WeightedLine& weighted : lines) {
    const double a = random.normal();
    const double b = random.normal();
    weighted.line =
        canonical(PixelLine{centre.theta + 0.02 * a, centre.rho + 3.0 * (0.6 * a + 0.8 * b)});
    weighted.weight = 1.0;
  }
  return lines;
}

TEST(Spread, IsThatOfTheLines) {
  // Also across the seam, where half of the lines have the other sign of rho.
  for (const PixelLine centre : {PixelLine{1.0, 20.0}, {0.001, 20.0}, {kPi - 0.001, -5.0}}) {
    const LineSpread spread = spread_around(centre, normal_lines(centre));
    EXPECT_NEAR(spread.theta_sd, 0.02, 0.0004);
    EXPECT_NEAR(spread.rho_sd, 3.0, 0.06);
    EXPECT_NEAR(spread.correlation, 0.6, 0.02);
    EXPECT_NEAR(spread.theta_68[1] - centre.theta, 0.9945 * 0.02, 0.001);
    EXPECT_NEAR(spread.theta_95[0] - centre.theta, -1.96 * 0.02, 0.001);
    EXPECT_NEAR(spread.rho_68[0] - centre.rho, -0.9945 * 3.0, 0.1);
    EXPECT_NEAR(spread.rho_95[1] - centre.rho, 1.96 * 3.0, 0.15);
  }
}

TEST(Spread, LeavesFarModesToTheIntervals) {
  std::vector<WeightedLine> lines = normal_lines({1.0, 20.0});
  const double alone = spread_around({1.0, 20.0}, lines).theta_sd;
  lines.push_back({{2.2, -40.0}, 2000.0, false});
  const LineSpread spread = spread_around({1.0, 20.0}, lines);
  EXPECT_EQ(spread.theta_sd, alone);
  EXPECT_GT(spread.theta_95[1], 2.0);
}

TEST(Spread, OfOneLineIsNothing) {
  const LineSpread spread = spread_around({0.4, 2.0}, {{{0.4, 2.0}, 1.0}});
  EXPECT_EQ(spread.theta_sd, 0.0);
  EXPECT_EQ(spread.correlation, 0.0);
  EXPECT_EQ(spread.rho_95[0], 2.0);
  EXPECT_EQ(spread.rho_95[1], 2.0);
}

}  // namespace
}  // namespace vsmax
