// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "support/random.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

using std::numbers::pi;

constexpr CellShape kShape{30, 31};

// The concentration at a gap of 1 is the mass near the line, clamped to 1: values are kept small.
constexpr float kUnit = 1.0F / 1024.0F;

double mass_near(const std::vector<float>& values, UnitLine line, CellShape shape = kShape) {
  return concentration({values.data(), shape}, 1.0, line) / static_cast<double>(kUnit);
}

TEST(MassNear, CountsEachCellOnceAlsoAcrossTheSeam) {
  const std::vector<float> ones(kShape.count(), kUnit);
  for (int t = 0; t < kShape.thetas; ++t) {
    EXPECT_EQ(mass_near(ones, kShape.line({t, 15})), 25.0) << t;
    EXPECT_EQ(mass_near(ones, kShape.line({t, 0})), 15.0) << t;
    EXPECT_EQ(mass_near(ones, kShape.line({t, 29})), 20.0) << t;
  }
}

TEST(MassNear, NeverCountsMoreThanAllCellsOfASmallGrid) {
  for (const int thetas : {1, 2, 3, 4, 5})
    for (const int rhos : {3, 5}) {
      const CellShape shape{thetas, rhos};
      const std::vector<float> ones(shape.count(), kUnit);
      for (std::size_t i = 0; i < shape.count(); ++i) {
        const double mass = mass_near(ones, shape.line(shape.cell(i)), shape);
        EXPECT_GE(mass, 1.0);
        EXPECT_LE(mass, static_cast<double>(shape.count()));
      }
    }
}

// A cell is near a line exactly if it is within two bins of it once unrolled across the seam.
TEST(MassNear, FlipsRhoAcrossTheSeam) {
  for (const auto& [line_t, cell_t] : {std::pair{0, 29}, {0, 28}, {1, 29}, {29, 0}, {28, 0}}) {
    std::vector<float> values(kShape.count(), 0.0F);
    values[kShape.index({cell_t, 30 - 22})] = kUnit;
    for (int r = 0; r < 31; ++r)
      EXPECT_EQ(mass_near(values, kShape.line({line_t, r})), std::abs(r - 22) <= 2 ? 1.0 : 0.0)
          << "line " << line_t << ", " << r << " and cell " << cell_t;
  }
}

TEST(MassNear, DoesNotDependOnTheRepresentative) {
  std::vector<float> values(kShape.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kUnit * static_cast<float>(i % 41);
  for (double theta = 0.013; theta < pi; theta += 0.1)
    for (const double rho : {-0.51, 0.01, 0.28})
      EXPECT_EQ(mass_near(values, {theta, rho}), mass_near(values, {theta + pi, -rho}));
}

// Just below pi the nearest row is row 0, with rho flipped.
TEST(MassNear, RoundsTheLastHalfBinToTheFirstRow) {
  std::vector<float> values(kShape.count(), 0.0F);
  values[kShape.index({2, 20})] = kUnit;  // within two rows of row 0 only
  const double rho = kShape.rho(20);
  EXPECT_EQ(mass_near(values, {0.0, rho}), 1.0);
  EXPECT_EQ(mass_near(values, {pi - 1e-6, -rho}), 1.0);
  EXPECT_EQ(mass_near(values, {pi - 1e-6, rho}), 0.0);
  EXPECT_EQ(mass_near(values, {pi - pi / 30.0, -rho}), 0.0);
}

TEST(MassNear, IsZeroForALineFarOutside) {
  const std::vector<float> ones(kShape.count(), kUnit);
  for (const double rho : {25.0, -25.0, 1e18, -1e300}) EXPECT_EQ(mass_near(ones, {0.4, rho}), 0.0);
}

TEST(Concentration, IsGapTimesMassInTheUnitInterval) {
  std::vector<float> p(kShape.count(), 0.0F);
  p[kShape.index({7, 12})] = 0.75F;
  p[kShape.index({20, 3})] = 0.25F;
  const UnitLine line = kShape.line({7, 12});
  EXPECT_DOUBLE_EQ(concentration({p.data(), kShape}, 0.5, line), 0.375);
  EXPECT_EQ(concentration({p.data(), kShape}, -1e-17, line), 0.0);
  EXPECT_DOUBLE_EQ(concentration({p.data(), kShape}, 1.0 + 1e-12, line), 0.75);
  EXPECT_EQ(concentration({p.data(), kShape}, 1.0, kShape.line({12, 12})), 0.0);
  p[kShape.index({7, 12})] = 1.0F + 1e-6F;
  EXPECT_EQ(concentration({p.data(), kShape}, 1.0, line), 1.0);
}

TEST(ExpectedScore, IsTheSumOverTheCellsByItsDefinition) {
  test::Random random;
  for (const ImageFrame frame : {ImageFrame{40, 30}, {21, 50}}) {
    const HoughGrid grid(frame, 12, 13);
    const ExpectedScore expected(grid);
    const CellShape shape = grid.shape();
    auto p = random.uniforms<float>(shape.count());
    const float sum = std::accumulate(p.begin(), p.end(), 0.0F);
    for (float& value : p) value /= sum;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const PixelLine line{random.uniform(0.0, pi), random.uniform(-40.0, 40.0)};
      double truth = 0.0;
      for (std::size_t i = 0; i < p.size(); ++i)
        truth += static_cast<double>(p[i]) * ea_score(line, grid.line(shape.cell(i)), frame);
      EXPECT_NEAR(expected({p.data(), shape}, line), truth, 1e-12);
    }
  }
}

TEST(ScoreWithinCell, GrowsWithTheResolutionAndIsTheScoreOfHalfACell) {
  double last = 0.0;
  for (const int bins : {15, 31, 63, 127}) {
    const HoughGrid grid({192, 144}, bins, bins);
    const double score = score_within_cell(grid);
    EXPECT_GT(score, last);
    EXPECT_LT(score, 1.0);
    const PixelLine middle = grid.line({bins / 2, bins / 2});
    const PixelLine corner{middle.theta + 0.5 * std::numbers::pi / bins,
                           middle.rho + 0.5 * grid.bin_width()};
    EXPECT_GT(score, ea_score(corner, middle, grid.frame()));
    last = score;
  }
}

TEST(ExpectedScore, OfACertainCellIsThatCellsScore) {
  const HoughGrid grid({64, 48}, 31, 33);
  const ExpectedScore expected(grid);
  std::vector<float> p(grid.cells(), 0.0F);
  const Cell cell{0, 20};
  p[grid.shape().index(cell)] = 1.0F;
  EXPECT_EQ(expected({p.data(), grid.shape()}, grid.line(cell)), 1.0);
  // The same line from the other side of the seam.
  const PixelLine same{grid.line(cell).theta + pi, -grid.line(cell).rho};
  EXPECT_NEAR(expected({p.data(), grid.shape()}, same), 1.0, 1e-12);
  EXPECT_EQ(expected({p.data(), grid.shape()}, {0.3, 1000.0}), 0.0);
}

TEST(LineProbability, WeighsTheCellsAgainstTheBackground) {
  EXPECT_EQ(line_probability(3.0, 3.0), 0.5);
  EXPECT_NEAR(line_probability(1.0, 0.0), std::exp(1.0) / (1.0 + std::exp(1.0)), 1e-15);
  EXPECT_EQ(line_probability(5000.0, 0.0), 1.0);
  EXPECT_EQ(line_probability(-5000.0, 0.0), 0.0);
}

}  // namespace
}  // namespace vsmax
