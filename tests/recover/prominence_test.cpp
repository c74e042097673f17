// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/prominence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/random.h"

namespace vsmax {
namespace {

using std::numbers::pi;

const HoughGrid kGrid({120, 90}, 40, 107);  // bins of 1.4 pixels: the flanks lie 3 bins away

std::vector<float> noise(test::Random& random) { return random.normals<float>(kGrid.cells()); }

Prominence of(const std::vector<float>& scores, Cell cell) {
  return prominence({scores.data(), kGrid.shape()}, kGrid, kGrid.shape().line(cell));
}

// By its definition (Eq. 36), for a line away from the borders of the accumulator.
Prominence reference(const std::vector<float>& scores, Cell line) {
  const CellShape shape = kGrid.shape();
  const auto at = [&](int t, int r) {
    const Cell cell = shape.across_seam({t, r});
    return static_cast<double>(scores[shape.index(cell)]);
  };
  std::vector<bool> near(shape.count());
  double highest = 0.0;
  for (int dt = -6; dt <= 6; ++dt)
    for (int dr = -8; dr <= 8; ++dr) {
      near[shape.index(shape.across_seam({line.t + dt, line.r + dr}))] = true;
      if (std::abs(dt) <= 1 && std::abs(dr) <= 2)
        highest = std::max(highest, at(line.t + dt, line.r + dr));
    }
  double squares = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < near.size(); ++i)
    if (!near[i] && (shape.cell(i).t - line.t + shape.thetas) % shape.thetas % 4 == 0) {
      squares += static_cast<double>(scores[i]) * scores[i];
      count += 1.0;
    }
  double ridge = 0.0;
  double differences = 0.0;
  double others = 0.0;
  for (int r = 3; r + 3 < shape.rhos; ++r) {
    const double left = at(line.t, r - 3);
    const double right = at(line.t, r + 3);
    if (std::abs(r - line.r) <= 2) ridge = std::max(ridge, at(line.t, r) - std::max(left, right));
    if (std::abs(r - line.r) <= 6) continue;
    differences += std::pow(at(line.t, r) - 0.5 * (left + right), 2.0);
    others += 1.0;
  }
  return {highest / std::sqrt(squares / count), ridge / std::sqrt(differences / others)};
}

TEST(Prominence, IsThatOfItsDefinition) {
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    auto scores = noise(random);
    const Cell line{random.integer(0, 39), random.integer(15, 91)};
    scores[kGrid.shape().index(line)] += 9.0F;
    const Prominence expected = reference(scores, line);
    const Prominence found = of(scores, line);
    EXPECT_NEAR(found.height, expected.height, 1e-9 * expected.height);
    EXPECT_NEAR(found.ridge, expected.ridge, 1e-9 * expected.ridge);
  }
}

TEST(Prominence, DoesNotDependOnTheUnitOfTheScores) {
  test::Random random;
  auto scores = noise(random);
  const Cell line{12, 50};
  scores[kGrid.shape().index(line)] += 8.0F;
  const Prominence once = of(scores, line);
  for (float& score : scores) score *= 4.0F;
  EXPECT_DOUBLE_EQ(of(scores, line).height, once.height);
  EXPECT_DOUBLE_EQ(of(scores, line).ridge, once.ridge);
}

// The same strip, entered from the other side of the seam.
TEST(Prominence, DoesNotChangeAcrossTheSeam) {
  test::Random random;
  const CellShape shape = kGrid.shape();
  const auto scores = noise(random);
  std::vector<float> turned(scores.size());  // by one angle
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Cell cell = shape.cell(i);
    turned[shape.index(shape.across_seam({cell.t + 1, cell.r}))] = scores[i];
  }
  for (int t = 0; t < shape.thetas; ++t) {
    const Prominence a = of(scores, {t, 30});
    const Prominence b = of(turned, shape.across_seam({t + 1, 30}));
    EXPECT_NEAR(a.height, b.height, 1e-6) << t;
    EXPECT_NEAR(a.ridge, b.ridge, 1e-9) << t;
  }
}

TEST(Prominence, HasNoRidgeOnAStep) {
  test::Random random;
  auto scores = noise(random);
  for (int r = 50; r < 107; ++r) scores[kGrid.shape().index({12, r})] += 20.0F;
  EXPECT_LT(of(scores, {12, 50}).ridge, 2.0);
}

TEST(Prominence, IsZeroFarOutsideAndOnBlankScores) {
  test::Random random;
  const auto scores = noise(random);
  const Prominence outside = prominence({scores.data(), kGrid.shape()}, kGrid, {0.3, 1.7});
  EXPECT_EQ(outside.height, 0.0);
  EXPECT_EQ(outside.ridge, 0.0);
  const Prominence blank = of(std::vector<float>(kGrid.cells(), 0.0F), {3, 50});
  EXPECT_EQ(line_probability(blank), 0.0);
}

TEST(LineProbability, RisesWithBothMeasures) {
  const ProminenceScale scale{5.0, 3.0, 10.0};
  EXPECT_DOUBLE_EQ(line_probability({5.0, 1e9}, scale), 0.5);
  EXPECT_DOUBLE_EQ(line_probability({1e9, 3.0}, scale), 0.5);
  EXPECT_DOUBLE_EQ(line_probability({5.0, 3.0}, scale), 0.25);
  EXPECT_EQ(line_probability({-1.0, 9.0}, scale), 0.0);
  EXPECT_GT(line_probability({9.0, 9.0}, scale), 0.99);
}

TEST(Polarity, TurnsOnlyForAStrongerDarkLine) {
  test::Random random;
  const auto flat = noise(random);
  const std::size_t line = kGrid.shape().index({12, 50});
  const std::size_t other = kGrid.shape().index({30, 20});
  const auto turned = [&](float first, float second) {
    auto scores = flat;
    scores[line] = first;
    scores[other] = second;
    const auto before = scores;
    const Cells<float> cells(scores.data(), kGrid.shape());
    const bool answer = choose_polarity(
        cells, [&](UnitLine asked) { return line_probability(prominence(cells, kGrid, asked)); });
    for (std::size_t i = 0; i < scores.size(); ++i)
      EXPECT_EQ(scores[i], answer ? -before[i] : before[i]);
    return answer;
  };
  EXPECT_TRUE(turned(-30.0F, 0.5F));
  EXPECT_TRUE(turned(-30.0F, 20.0F));
  EXPECT_FALSE(turned(30.0F, 0.5F));
  EXPECT_FALSE(turned(-20.0F, 30.0F));
  EXPECT_FALSE(turned(-4.5F, 4.0F)) << "the darkest cell of noise is no line";
}

}  // namespace
}  // namespace vsmax
