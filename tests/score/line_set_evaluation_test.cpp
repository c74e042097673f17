// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/line_set_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

const ImageFrame kSquare{101, 101};
constexpr double kLevel = std::numbers::pi / 2.0;

Recovery answer_of(std::initializer_list<PixelLine> lines) {
  Recovery answer;
  for (const PixelLine line : lines)
    answer.lines.push_back({line, 1.0, visible_segment(line, kSquare)});
  return answer;
}

TEST(Thresholds, GoFromOneToNinetyNinePercent) {
  EXPECT_EQ(threshold_at(0), 0.01);
  EXPECT_EQ(threshold_at(threshold_index(50)), 0.5);
  EXPECT_EQ(threshold_at(threshold_index(90)), 0.9);
  EXPECT_EQ(threshold_at(kThresholds - 1), 0.99);
}

TEST(MatchLines, CountsByHand) {
  // Offsets of 10 and 20 of 100 pixels: EA 0.81 and 0.64. The third is no line's.
  const std::vector<PixelLine> truth{{kLevel, -30.0}, {kLevel, 25.0}};
  const MatchCounts counts =
      match_lines(answer_of({{kLevel, -20.0}, {kLevel, 45.0}, {0.0, 0.0}}), truth, kSquare);
  EXPECT_EQ(counts.labelled, 2U);
  EXPECT_EQ(counts.found, 3U);
  EXPECT_EQ(counts.matched[threshold_index(50)], 2U);
  EXPECT_EQ(counts.matched[threshold_index(63)], 2U);
  EXPECT_EQ(counts.matched[threshold_index(70)], 1U);
  EXPECT_EQ(counts.matched[threshold_index(90)], 0U);
  EXPECT_DOUBLE_EQ(counts.precision(threshold_index(50)), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(counts.recall(threshold_index(50)), 1.0);
  EXPECT_DOUBLE_EQ(counts.f(threshold_index(50)), 0.8);
  EXPECT_DOUBLE_EQ(counts.f(threshold_index(70)), 0.4);
  EXPECT_DOUBLE_EQ(counts.f(threshold_index(90)), 0.0);
}

TEST(ScoreLines, TheSurestLineTakesItsLabelFirst) {
  const std::vector<PixelLine> truth{{kLevel, -30.0}, {kLevel, 25.0}};
  // The first takes the upper label although the second lies on it; the third finds none left.
  const auto scores =
      score_lines(answer_of({{kLevel, -20.0}, {kLevel, -30.0}, {kLevel, 25.0}}), truth, kSquare);
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_NEAR(scores[0].ea, 0.81, 1e-3);
  EXPECT_LT(scores[1].ea, 0.3);
  EXPECT_EQ(scores[2].ea, 0.0);
  EXPECT_EQ(scores[2].confidence, 1.0);
  EXPECT_TRUE(score_lines(answer_of({}), truth, kSquare).empty());
}

TEST(MatchLines, CountsADuplicateAsAnError) {
  const std::vector<PixelLine> truth{{1.0, 3.0}};
  const MatchCounts counts = match_lines(answer_of({{1.0, 3.0}, {1.0, 3.0}}), truth, kSquare);
  EXPECT_EQ(counts.matched[kThresholds - 1], 1U);
  EXPECT_NEAR(counts.mean_f(), 2.0 / 3.0, 1e-12);
}

TEST(MatchLines, MeanFOfOneLineIsItsScoreToAThreshold) {
  const std::vector<PixelLine> truth{{kLevel, 0.0}};
  const MatchCounts counts = match_lines(answer_of({{kLevel, 10.5}}), truth, kSquare);
  // EA = 0.895^2 = 0.801: it passes the thresholds up to 0.80.
  EXPECT_NEAR(counts.mean_f(), 80.0 / 99.0, 1e-12);
}

TEST(MatchLines, DoesNotDependOnTheOrderOfTheLines) {
  std::vector<PixelLine> truth{{0.3, 5.0}, {0.5, -8.0}, {1.9, 12.0}};
  Recovery answer = answer_of({{0.4, 0.0}, {0.35, 2.0}, {1.8, 10.0}, {3.0, 1.0}});
  const MatchCounts usual = match_lines(answer, truth, kSquare);
  for (int repeat = 0; repeat < 6; ++repeat) {
    std::rotate(truth.begin(), truth.begin() + 1, truth.end());
    std::rotate(answer.lines.begin(), answer.lines.begin() + 1, answer.lines.end());
    std::swap(answer.lines[0], answer.lines[1]);
    EXPECT_EQ(match_lines(answer, truth, kSquare).matched, usual.matched);
  }
}

TEST(MatchCounts, AddUpOverImages) {
  MatchCounts sum =
      match_lines(answer_of({{1.0, 0.0}}), std::vector<PixelLine>{{1.0, 0.0}}, kSquare);
  sum += match_lines({}, std::vector<PixelLine>{{1.0, 0.0}, {2.0, 0.0}}, kSquare);
  sum += match_lines(answer_of({{1.0, 0.0}}), {}, kSquare);
  EXPECT_EQ(sum.labelled, 3U);
  EXPECT_EQ(sum.found, 2U);
  EXPECT_DOUBLE_EQ(sum.precision(0), 0.5);
  EXPECT_DOUBLE_EQ(sum.recall(0), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(sum.f(0), 0.4);
  sum += match_lines({}, {}, kSquare);
  EXPECT_EQ(sum.blanks, 2U) << "images without a labelled line";
  EXPECT_EQ(sum.alarms, 1U) << "of these, with a line found";
}

TEST(MatchCounts, WithoutLinesAreFinite) {
  const MatchCounts nothing = match_lines({}, {}, kSquare);
  EXPECT_EQ(nothing.precision(0), 0.0);
  EXPECT_EQ(nothing.recall(0), 0.0);
  EXPECT_EQ(nothing.mean_f(), 1.0) << "nothing to find, and nothing found";
  EXPECT_EQ(match_lines(answer_of({{1.0, 0.0}}), {}, kSquare).mean_f(), 0.0);
}

}  // namespace
}  // namespace vsmax
