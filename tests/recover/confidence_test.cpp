// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace vsmax {
namespace {

using std::numbers::pi;

std::size_t index_of(const HoughGrid& grid, int t, int r) {
  return static_cast<std::size_t>(t * grid.rhos() + r);
}

TEST(MassNear, CountsEachCellOnceAlsoAcrossTheSeam) {
  const HoughGrid grid({64, 48}, 30, 31);
  const std::vector<float> ones(grid.cells(), 1.0F);
  for (int t = 0; t < grid.thetas(); ++t) {
    EXPECT_EQ(mass_near(grid, ones.data(), grid.line({t, 15})), 25.0) << t;
    EXPECT_EQ(mass_near(grid, ones.data(), grid.line({t, 0})), 15.0) << t;
    EXPECT_EQ(mass_near(grid, ones.data(), grid.line({t, 29})), 20.0) << t;
  }
}

TEST(MassNear, NeverCountsMoreThanAllCellsOfASmallGrid) {
  for (const int thetas : {1, 2, 3, 4, 5})
    for (const int rhos : {3, 5}) {
      const HoughGrid grid({9, 9}, thetas, rhos);
      const std::vector<float> ones(grid.cells(), 1.0F);
      for (int t = 0; t < thetas; ++t)
        for (int r = 0; r < rhos; ++r) {
          const double mass = mass_near(grid, ones.data(), grid.line({t, r}));
          EXPECT_GE(mass, 1.0);
          EXPECT_LE(mass, static_cast<double>(grid.cells()));
        }
    }
}

// A cell is near a line exactly if it is within two bins of it once unrolled over the seam.
TEST(MassNear, FlipsRhoOverTheSeam) {
  const HoughGrid grid({64, 48}, 30, 31);
  for (const auto& [line_t, cell_t] : {std::pair{0, 29}, {0, 28}, {1, 29}, {29, 0}, {28, 0}}) {
    std::vector<float> values(grid.cells(), 0.0F);
    values[index_of(grid, cell_t, 30 - 22)] = 1.0F;
    for (int r = 0; r < 31; ++r)
      EXPECT_EQ(mass_near(grid, values.data(), grid.line({line_t, r})),
                std::abs(r - 22) <= 2 ? 1.0 : 0.0)
          << "line " << line_t << ", " << r << " and cell " << cell_t;
  }
}

TEST(MassNear, DoesNotSeeWhichNameALineGoesBy) {
  const HoughGrid grid({64, 48}, 30, 31);
  std::vector<float> values(grid.cells());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97);
  for (double theta = 0.013; theta < pi; theta += 0.1)
    for (const double rho : {-20.0, 0.3, 11.0})
      EXPECT_EQ(mass_near(grid, values.data(), {theta, rho}),
                mass_near(grid, values.data(), {theta + pi, -rho}));
}

// Just below pi the nearest row is row 0, with rho flipped.
TEST(MassNear, RoundsTheLastHalfBinToTheFirstRow) {
  const HoughGrid grid({64, 48}, 30, 31);
  std::vector<float> values(grid.cells(), 0.0F);
  values[index_of(grid, 2, 20)] = 1.0F;  // within two rows of row 0 alone
  const double rho = grid.rho(20);
  EXPECT_EQ(mass_near(grid, values.data(), {0.0, rho}), 1.0);
  EXPECT_EQ(mass_near(grid, values.data(), {pi - 1e-6, -rho}), 1.0);
  EXPECT_EQ(mass_near(grid, values.data(), {pi - 1e-6, rho}), 0.0);
  EXPECT_EQ(mass_near(grid, values.data(), {pi - pi / 30.0, -rho}), 0.0);
}

TEST(MassNear, IsNoneForALineFarOutside) {
  const HoughGrid grid({64, 48}, 30, 31);
  const std::vector<float> ones(grid.cells(), 1.0F);
  for (const double rho : {1e3, -1e3, 1e18, -1e300})
    EXPECT_EQ(mass_near(grid, ones.data(), {0.4, rho}), 0.0);
}

TEST(DistributionConfidence, IsGapTimesMassInTheUnitInterval) {
  const HoughGrid grid({64, 48}, 30, 31);
  std::vector<float> p(grid.cells(), 0.0F);
  p[index_of(grid, 7, 12)] = 0.75F;
  p[index_of(grid, 20, 3)] = 0.25F;
  const PixelLine line = grid.line({7, 12});
  EXPECT_DOUBLE_EQ(distribution_confidence(grid, p.data(), 0.5, line), 0.375);
  EXPECT_EQ(distribution_confidence(grid, p.data(), -1e-17, line), 0.0);
  EXPECT_DOUBLE_EQ(distribution_confidence(grid, p.data(), 1.0 + 1e-12, line), 0.75);
  EXPECT_EQ(distribution_confidence(grid, p.data(), 1.0, grid.line({12, 12})), 0.0);
  p[index_of(grid, 7, 12)] = 1.0F + 1e-6F;
  EXPECT_EQ(distribution_confidence(grid, p.data(), 1.0, line), 1.0);
}

TEST(PeakConfidence, IsTheShareByWhichThePeakStandsOut) {
  const HoughGrid grid({64, 48}, 30, 31);
  std::vector<float> values(grid.cells(), 0.0F);
  values[index_of(grid, 0, 20)] = 8.0F;
  EXPECT_EQ(peak_confidence(grid, values.data(), {0, 20}), 1.0);
  values[index_of(grid, 29, 10)] = 7.0F;  // its neighbour over the seam does not count
  values[index_of(grid, 1, 21)] = 7.5F;
  EXPECT_EQ(peak_confidence(grid, values.data(), {0, 20}), 1.0);
  values[index_of(grid, 29, 20)] = 2.0F;  // far away, for rho flips
  EXPECT_DOUBLE_EQ(peak_confidence(grid, values.data(), {0, 20}), 0.75);
  values[index_of(grid, 15, 15)] = 8.0F;
  EXPECT_EQ(peak_confidence(grid, values.data(), {0, 20}), 0.0);
}

TEST(PeakConfidence, IsNoneWithoutAPositivePeak) {
  const HoughGrid grid({64, 48}, 30, 31);
  const std::vector<float> negative(grid.cells(), -3.0F);
  EXPECT_EQ(peak_confidence(grid, negative.data(), {4, 4}), 0.0);
  const std::vector<float> zero(grid.cells(), 0.0F);
  EXPECT_EQ(peak_confidence(grid, zero.data(), {4, 4}), 0.0);
}

}  // namespace
}  // namespace vsmax
