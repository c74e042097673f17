// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/reliability.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

namespace vsmax {
namespace {

LineScore judged(double ea, double confidence) { return {ea, confidence, {}, {}}; }

TEST(Reliability, TellsLostLinesFromFound) {
  // Of the four pairs, two are in order, one is a tie and one is not.
  const std::vector<LineScore> scores{judged(0.9, 0.8), judged(0.95, 0.3), judged(0.1, 0.3),
                                      judged(0.2, 0.4)};
  EXPECT_DOUBLE_EQ(*reliability_of(scores, {}).auroc, 2.5 / 4.0);
  EXPECT_FALSE(reliability_of(std::vector{judged(0.9, 0.8)}, {}).auroc);
  EXPECT_FALSE(reliability_of(std::vector{judged(0.1, 0.8)}, {}).auroc);
}

TEST(Reliability, CountsTheIntervalsThatHoldTheTruth) {
  RecoveredLine answer;
  answer.line = {0.01, 20.0};
  EXPECT_FALSE(coverage_of(answer, {0.01, 20.0}));
  answer.spread =
      LineSpread{0.02, 1.0, 0.0, {-0.01, 0.03}, {-0.03, 0.05}, {19.0, 21.0}, {18.0, 22.0}};
  const auto inside = coverage_of(answer, {0.02, 20.5});
  EXPECT_EQ(inside->theta_68, 1.0);
  EXPECT_EQ(inside->rho_68, 1.0);
  // The same place on the other side of the seam, where rho has the other sign.
  const auto across = coverage_of(answer, {std::numbers::pi - 0.02, -21.5});
  EXPECT_EQ(across->theta_68, 0.0);
  EXPECT_EQ(across->theta_95, 1.0);
  EXPECT_EQ(across->rho_68, 0.0);
  EXPECT_EQ(across->rho_95, 1.0);

  const std::vector<std::optional<Coverage>> covered{inside, across, std::nullopt};
  const Reliability mean = reliability_of(std::vector(3, judged(0.9, 0.8)), covered);
  EXPECT_NEAR(mean.calibration.error, 0.1, 1e-12);
  EXPECT_EQ(mean.coverage->theta_68, 0.5);
  EXPECT_EQ(mean.coverage->rho_95, 1.0);
  EXPECT_FALSE(reliability_of(std::vector(1, judged(0.9, 0.8)), {}).coverage);
}

}  // namespace
}  // namespace vsmax
