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
