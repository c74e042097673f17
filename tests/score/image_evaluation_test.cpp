// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/image_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/random.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

using std::numbers::pi;

const ImageFrame kFrame{101, 101};

Recovery answer_of(PixelLine line, double confidence) {
  return {{{line, confidence, visible_segment(line, kFrame)}}};
}

LineScore score_of(double ea, double confidence) {
  return {ea, confidence, std::nullopt, std::nullopt};
}

TEST(ScoreLine, OfALineMovedInParallel) {
  // Ten of a hundred pixels lower: S_d = 0.9.
  const LineScore score = score_line(answer_of({pi / 2.0, 10.0}, 0.7), {pi / 2.0, 0.0}, kFrame);
  EXPECT_NEAR(score.ea, 0.81, 1e-12);
  EXPECT_NEAR(score.angle.value(), 0.0, 1e-6);
  EXPECT_NEAR(score.offset.value(), 10.0, 1e-9);
  EXPECT_EQ(score.confidence, 0.7);
}

TEST(ScoreLine, OfALineTurnedAboutTheCentreAcrossTheSeam) {
  const LineScore score = score_line(answer_of({pi - 0.05, 0.0}, 0.2), {0.05, 0.0}, kFrame);
  EXPECT_NEAR(score.angle.value(), 0.1 * 180.0 / pi, 1e-9);
  EXPECT_NEAR(score.offset.value(), 0.0, 1e-9);
  EXPECT_NEAR(score.ea, std::pow(1.0 - 0.1 / (pi / 2.0), 2.0), 1e-12);
}

TEST(ScoreLine, TakesTheFirstLine) {
  Recovery answer = answer_of({1.0, 5.0}, 0.4);
  answer.lines.push_back(answer_of({1.0, 0.0}, 0.9).lines.front());
  const LineScore score = score_line(answer, {1.0, 0.0}, kFrame);
  EXPECT_EQ(score.confidence, 0.4);
  EXPECT_EQ(score.ea, ea_score({1.0, 5.0}, {1.0, 0.0}, kFrame));
}

TEST(ScoreLine, OfNoLineIsZeroWithoutConfidence) {
  const LineScore none = score_line({}, {1.0, 0.0}, kFrame);
  EXPECT_EQ(none.ea, 0.0);
  EXPECT_EQ(none.confidence, 0.0);
  EXPECT_FALSE(none.angle || none.offset);
  const LineScore outside = score_line(answer_of({1.0, 500.0}, 0.8), {1.0, 0.0}, kFrame);
  EXPECT_EQ(outside.ea, 0.0);
  EXPECT_EQ(outside.confidence, 0.8) << "being sure of a line outside the image is an error";
  EXPECT_FALSE(outside.angle || outside.offset);
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0, 2.0, 3.0}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0.0, 10.0, 20.0}, 0.05), 1.0);
  EXPECT_DOUBLE_EQ(quantile({5.0}, 0.05), 5.0);
  EXPECT_DOUBLE_EQ(quantile({1.0, 2.0}, 1.0), 2.0);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Calibration, IsTheMeanGapOfBinsOfEqualCount) {
  const std::vector<LineScore> scores{score_of(0.2, 0.1), score_of(0.4, 0.3), score_of(0.5, 0.8),
                                      score_of(0.7, 1.0)};
  const Calibration two = calibrate(scores, 2);
  ASSERT_EQ(two.bins.size(), 2U);
  EXPECT_EQ(two.bins[0].count, 2U);
  EXPECT_NEAR(two.bins[0].confidence, 0.2, 1e-12);
  EXPECT_NEAR(two.bins[0].ea, 0.3, 1e-12);
  EXPECT_NEAR(two.bins[1].confidence, 0.9, 1e-12);
  EXPECT_NEAR(two.bins[1].ea, 0.6, 1e-12);
  EXPECT_NEAR(two.error, 0.5 * 0.1 + 0.5 * 0.3, 1e-12);
  EXPECT_NEAR(calibrate(scores, 1).error, std::abs(0.55 - 0.45), 1e-12);
  EXPECT_EQ(calibrate(scores, 10).bins.size(), 4U) << "no more bins than images";
  EXPECT_NEAR(calibrate(scores, 10).error, (0.1 + 0.1 + 0.3 + 0.3) / 4.0, 1e-12);
}

TEST(Calibration, OfEqualConfidencesIsTheGapOfTheMeans) {
  std::vector<LineScore> scores;
  for (int i = 0; i < 40; ++i) scores.push_back(score_of(0.025 * i, 0.5));
  EXPECT_NEAR(calibrate(scores).error, 0.5 - 0.4875, 1e-12);
}

TEST(Calibration, OfAPerfectPromiseIsZero) {
  std::vector<LineScore> scores;
  for (int i = 0; i < 25; ++i) scores.push_back(score_of(0.04 * i, 0.04 * i));
  EXPECT_NEAR(calibrate(scores).error, 0.0, 1e-12);
}

// What the report calls chance is the error that confidences show which are right on average.
TEST(Calibration, ChanceIsTheMeanErrorOfARightConfidence) {
  test::Random random;
  for (const bool ties : {false, true}) {
    double error = 0.0;
    double chance = 0.0;
    for (int repeat = 0; repeat < 400; ++repeat) {
      std::vector<LineScore> scores;
      for (int i = 0; i < 120; ++i) {
        const double confidence = ties ? 0.25 * random.integer(0, 4) : random.uniform();
        scores.push_back(score_of(random.uniform() < confidence ? 1.0 : 0.0, confidence));
      }
      error += calibrate(scores).error;
      chance += calibrate(scores).chance;
    }
    // A little too low, because the deviation of twelve values is.
    EXPECT_GT(chance / error, 0.87) << (ties ? "equal" : "different") << " confidences";
    EXPECT_LT(chance / error, 1.02) << (ties ? "equal" : "different") << " confidences";
  }
}

TEST(Calibration, ChanceFallsWithTheRootOfTheNumberOfImages) {
  std::vector<LineScore> scores;
  for (int i = 0; i < 200; ++i) scores.push_back(score_of(i % 2, 0.5));
  const double chance = calibrate(scores).chance;
  EXPECT_NEAR(chance, std::sqrt(2.0 / pi) * 0.5 / std::sqrt(200.0), 2e-3);
  for (int i = 0; i < 600; ++i) scores.push_back(score_of(i % 2, 0.5));
  EXPECT_NEAR(calibrate(scores).chance, 0.5 * chance, 1e-3);
}

TEST(Calibration, OneImagePerBinMayBeAllChance) {
  const std::vector<LineScore> scores{score_of(0.2, 0.5), score_of(0.9, 0.6)};
  EXPECT_EQ(calibrate(scores).chance, calibrate(scores).error);
  EXPECT_EQ(calibrate({}).chance, 0.0);
}

TEST(LineSummary, OfAHandfulOfScores) {
  const std::vector<LineScore> scores{
      {1.0, 0.9, 0.0, 1.0}, {0.8, 0.9, 4.0, 3.0}, {0.49, 0.5, 2.0, 11.0}, {0.0, 0.0, {}, {}}};
  const LineSummary summary = summarize(scores);
  EXPECT_EQ(summary.count, 4U);
  EXPECT_EQ(summary.found, 3U);
  EXPECT_NEAR(summary.ea.mean, 2.29 / 4.0, 1e-12);
  EXPECT_NEAR(summary.ea.median, 0.645, 1e-12);
  EXPECT_NEAR(summary.ea_percentile_5, 0.15 * 0.49, 1e-12);
  EXPECT_EQ(summary.below_half, 0.5);
  EXPECT_NEAR(summary.angle.mean, 2.0, 1e-12);
  EXPECT_NEAR(summary.angle.median, 2.0, 1e-12);
  EXPECT_NEAR(summary.offset.mean, 5.0, 1e-12);
  EXPECT_NEAR(summary.offset.median, 3.0, 1e-12);
  EXPECT_NEAR(summary.calibration.error, calibrate(scores).error, 0.0);
}

TEST(LineSummary, WithoutAnyLineHasNoAngle) {
  const std::vector<LineScore> scores(3);
  const LineSummary summary = summarize(scores);
  EXPECT_EQ(summary.found, 0U);
  EXPECT_EQ(summary.ea.mean, 0.0);
  EXPECT_EQ(summary.below_half, 1.0);
  EXPECT_TRUE(std::isnan(summary.angle.mean) && std::isnan(summary.offset.median));
}

TEST(LineSummary, DoesNotDependOnTheOrderOfTheImages) {
  test::Random random;
  std::vector<LineScore> scores;
  for (int i = 0; i < 57; ++i)  // confidences with many ties
    scores.push_back({random.uniform(), std::round(4.0 * random.uniform()) / 4.0,
                      90.0 * random.uniform(), 50.0 * random.uniform()});
  const LineSummary usual = summarize(scores);
  for (int repeat = 0; repeat < 10; ++repeat) {
    std::sort(scores.begin(), scores.end(), [&](const LineScore& a, const LineScore& b) {
      return std::fmod(a.ea * (97.0 + repeat), 1.0) < std::fmod(b.ea * (97.0 + repeat), 1.0);
    });
    const LineSummary other = summarize(scores);
    EXPECT_EQ(other.ea.mean, usual.ea.mean);
    EXPECT_EQ(other.ea_percentile_5, usual.ea_percentile_5);
    EXPECT_EQ(other.angle.mean, usual.angle.mean);
    EXPECT_EQ(other.offset.median, usual.offset.median);
    EXPECT_EQ(other.calibration.error, usual.calibration.error);
  }
}

}  // namespace
}  // namespace vsmax
