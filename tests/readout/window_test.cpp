// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "support/lines.h"
#include "support/random.h"
#include "support/window_reference.h"

namespace vsmax {
namespace {

using Logits = std::vector<float>;

// The same map with its rows renumbered from `turn` on, across the seam.
Logits turned(const Logits& logits, const CellShape& shape, int turn) {
  Logits result(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Cell cell = shape.cell(i);
    result[shape.index(shape.across_seam({cell.t + turn, cell.r}))] = logits[i];
  }
  return result;
}

std::set<std::size_t> peaks_of(const Logits& logits, const CellShape& shape, CellReach reach,
                               float least) {
  std::set<std::size_t> found;
  for (const Cell peak : find_peaks({logits.data(), shape}, reach, least))
    found.insert(shape.index(peak));
  return found;
}

TEST(ReadWindow, MatchesItsDefinition) {
  test::Random random;
  for (const CellShape shape : {CellShape{11, 13}, {2, 3}, {1, 5}, {30, 31}, {7, 3}})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const auto logits = random.normals<float>(shape.count(), 0.0, 4.0);
      const Cells<const float> cells(logits.data(), shape);
      const Cell peak{random.integer(0, shape.thetas - 1), random.integer(0, shape.rhos - 1)};
      const CellReach reach{random.integer(0, 4), random.integer(0, 6)};
      const double temperature = random.uniform(0.3, 3.0);
      Logits probabilities(shape.count(), 7.0F);
      const SoftReadout found =
          read_window(cells, temperature, peak, reach, {probabilities.data(), shape});
      const auto truth = reference::read_window(cells, temperature, peak, reach);
      EXPECT_NEAR(found.log_sum, truth.log_sum, 1e-12);
      for (std::size_t k = 0; k < truth.barycentre.size(); ++k)
        EXPECT_NEAR(found.barycentre[k], truth.barycentre[k], 1e-14);
      for (std::size_t i = 0; i < shape.count(); ++i)
        EXPECT_NEAR(probabilities[i], truth.probabilities[i], 1e-7);
    }
}

TEST(ReadWindow, ReadsALineOnTheSeamAsElsewhere) {
  const CellShape shape{30, 31};
  const CellReach reach = window_reach(shape);
  Logits logits(shape.count(), 0.0F);
  logits[shape.index({14, 20})] = 9.0F;
  logits[shape.index({15, 21})] = 8.0F;
  for (int turn = 0; turn < shape.thetas; ++turn) {
    const Logits moved = turned(logits, shape, turn);
    Logits window(shape.count());
    const Cell peak = shape.across_seam({14 + turn, 20});
    const UnitLine line =
        line_from_embedding(
            read_window({moved.data(), shape}, 1.0, peak, reach, {window.data(), shape}).barycentre)
            .line;
    UnitLine expected = shape.line({14, 20});  // turned, and 0.27 of the way to the other cell
    expected.theta += (turn + 0.27) * std::numbers::pi / shape.thetas;
    expected.rho += 0.27 / shape.center();
    EXPECT_LT(test::chordal_distance(line, expected), 0.01) << turn;
  }
}

TEST(FindPeaks, AreTheCellsThatNothingInTheirWindowExceeds) {
  test::Random random;
  for (const CellShape shape : {CellShape{11, 13}, {2, 3}, {30, 31}})
    for (int repeat = 0; repeat < 40; ++repeat) {
      const auto logits = random.normals<float>(shape.count());
      const CellReach reach{random.integer(0, 3), random.integer(0, 4)};
      std::set<std::size_t> truth;
      for (std::size_t i = 0; i < shape.count(); ++i) {
        bool highest = logits[i] >= 0.5F;
        for (std::size_t k = 0; k < shape.count(); ++k)
          if (reference::in_window(shape, shape.cell(i), reach, shape.cell(k)))
            highest = highest && logits[k] <= logits[i];
        if (highest) truth.insert(i);
      }
      EXPECT_EQ(peaks_of(logits, shape, reach, 0.5F), truth);
    }
}

TEST(FindPeaks, DoNotDependOnWhereTheSeamLies) {
  test::Random random;
  const CellShape shape{11, 13};
  const auto logits = random.normals<float>(shape.count());
  const auto here = peaks_of(logits, shape, {2, 2}, 0.0F);
  ASSERT_GT(here.size(), 2U);
  for (int turn = 1; turn < shape.thetas; ++turn) {
    std::set<std::size_t> expected;
    for (const std::size_t i : here) {
      const Cell cell = shape.cell(i);
      expected.insert(shape.index(shape.across_seam({cell.t + turn, cell.r})));
    }
    EXPECT_EQ(peaks_of(turned(logits, shape, turn), shape, {2, 2}, 0.0F), expected) << turn;
  }
}

TEST(FindPeaks, OfEqualNeighboursOnlyTheFirstCounts) {
  const CellShape shape{11, 13};
  Logits logits(shape.count(), 0.0F);
  logits[shape.index({0, 4})] = 2.0F;
  logits[shape.index({10, 8})] = 2.0F;  // its neighbour across the seam
  EXPECT_EQ(peaks_of(logits, shape, {1, 1}, 1.0F), std::set{shape.index({0, 4})});
}

TEST(FindPeaks, ComeInFallingOrder) {
  test::Random random;
  const CellShape shape{30, 31};
  const auto logits = random.normals<float>(shape.count());
  const Cells<const float> cells(logits.data(), shape);
  const auto peaks = find_peaks(cells, {1, 1}, -10.0F);
  ASSERT_GT(peaks.size(), 20U);
  EXPECT_TRUE(std::is_sorted(peaks.begin(), peaks.end(),
                             [&](Cell a, Cell b) { return cells.at(a) > cells.at(b); }));
}

}  // namespace
}  // namespace vsmax
