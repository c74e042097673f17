// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/auto_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <utility>
#include <vector>

namespace vsmax {
namespace {

constexpr ImageFrame kPhoto{400, 300};
constexpr ImageFrame kTiny{32, 32};
constexpr LinesWanted kAll{8, 0.0};
constexpr PixelLine kHorizon{1.5, 10.0};
constexpr PixelLine kMast{0.1, 60.0};

// default, horizon, photo-lines; edges.
class AutoChoice : public testing::Test {
 protected:
  Answer thin(std::vector<RecoveredLine> lines) { return {&all_.candidates[0], {lines, {}}}; }
  Answer horizon(std::vector<RecoveredLine> lines) { return {&all_.candidates[1], {lines, {}}}; }
  Answer photo(std::vector<RecoveredLine> lines) { return {&all_.candidates[2], {lines, {}}}; }
  Answer fallback(std::vector<RecoveredLine> lines) { return {&all_.fallbacks[0], {lines, {}}}; }

 private:
  Model all_ = load_model("auto");
};

RecoveredLine line(PixelLine at, double confidence) { return {at, confidence, {}, {}}; }

RecoveredLine exact(PixelLine at, double confidence) {
  RecoveredLine found = line(at, confidence);
  found.spread.emplace();
  return found;
}

TEST_F(AutoChoice, OneModelAloneIsBelievedOnlySoFar) {
  std::vector answers{thin({line(kMast, 1.0)}), horizon({line(kHorizon, 0.99)}), photo({})};
  corroborate(answers, kAll, kPhoto);
  EXPECT_DOUBLE_EQ(answers[0].recovery.lines.at(0).confidence, 0.7);
  EXPECT_DOUBLE_EQ(answers[1].recovery.lines.at(0).confidence, 0.7);
}

TEST_F(AutoChoice, ASecondOpinionRestoresTheConfidence) {
  const PixelLine nearly{kHorizon.theta + 0.01, kHorizon.rho + 1.0};
  for (const double seen : {0.0, 0.1, 0.25, 0.5, 0.9}) {
    std::vector answers{horizon({line(kHorizon, 0.99)}), photo({line(nearly, seen)})};
    corroborate(answers, kAll, kPhoto);
    const double limit = 1.0 - 0.3 * (1.0 - std::min(1.0, 2.0 * seen));
    EXPECT_DOUBLE_EQ(answers[0].recovery.lines.at(0).confidence, std::min(0.99, limit)) << seen;
  }
  std::vector elsewhere{horizon({line(kHorizon, 0.99)}), photo({line(kMast, 0.9)})};
  corroborate(elsewhere, kAll, kPhoto);
  EXPECT_DOUBLE_EQ(elsewhere[0].recovery.lines.at(0).confidence, 0.7);
}

TEST_F(AutoChoice, NoOpinionIsNeededInWhiteNoiseNorInTinyImagesNorWhereNoneCanBeHad) {
  std::vector white{thin({exact(kMast, 1.0)}), photo({})};
  corroborate(white, kAll, kPhoto);
  EXPECT_EQ(white[0].recovery.lines.at(0).confidence, 1.0);
  std::vector tiny{thin({line({0.1, 3.0}, 1.0)}), photo({})};
  corroborate(tiny, kAll, kTiny);
  EXPECT_EQ(tiny[0].recovery.lines.at(0).confidence, 1.0);
  std::vector alone{thin({line(kMast, 1.0)}), horizon({line(kHorizon, 0.99)})};
  corroborate(alone, kAll, kPhoto);
  EXPECT_EQ(alone[1].recovery.lines.at(0).confidence, 0.99);
}

TEST_F(AutoChoice, WeakLinesOfSeveralAreOnlyAnOpinion) {
  std::vector answers{photo({line(kHorizon, 0.8), line(kMast, 0.6), line({2.0, 0.0}, 0.4)})};
  corroborate(answers, {8, 0.0}, kPhoto);
  EXPECT_EQ(answers[0].recovery.lines.size(), 2U);
  std::vector first{photo({line(kHorizon, 0.8), line(kMast, 0.6)})};
  corroborate(first, {1, 0.0}, kPhoto);
  EXPECT_EQ(first[0].recovery.lines.size(), 1U);
}

TEST_F(AutoChoice, OnlyAModelOfSeveralLinesIsAskedForMore) {
  const Answer several = photo({});
  const Answer single = horizon({});
  EXPECT_EQ(wanted_from(*single.model, {1, 0.5}).most, 1);
  EXPECT_EQ(wanted_from(*single.model, {1, 0.5}).min_confidence, 0.5);
  EXPECT_GT(wanted_from(*several.model, {1, 0.5}).most, 1);
  EXPECT_LT(wanted_from(*several.model, {1, 0.5}).min_confidence, 0.5);
}

TEST_F(AutoChoice, TheFallbackIsDoubtedWhereTheOthersCouldSee) {
  Answer doubted = fallback({line(kHorizon, 1.0)});
  discount_fallback(doubted, kAll, 1.0);
  EXPECT_FALSE(is_sure(doubted.recovery, false, kAll));
  EXPECT_DOUBLE_EQ(doubted.recovery.lines.at(0).confidence, 0.45);
  Answer blind = fallback({line(kHorizon, 1.0)});
  discount_fallback(blind, kAll, 0.0);
  EXPECT_EQ(blind.recovery.lines.at(0).confidence, 1.0);
  EXPECT_TRUE(is_sure(blind.recovery, true, {}));
  blind.recovery.lines.at(0).confidence = 0.9;
  EXPECT_TRUE(is_sure(blind.recovery, false, kAll));
  EXPECT_FALSE(is_sure(blind.recovery, true, {})) << "a drawing";
  Answer weak = fallback({line(kHorizon, 0.6)});
  discount_fallback(weak, {8, 0.5}, 1.0);
  EXPECT_TRUE(weak.recovery.lines.empty());
}

TEST_F(AutoChoice, OnlyThePosteriorIsSureOfTheLinesOfADrawing) {
  Recovery thin{{line(kHorizon, 1.0)}};
  EXPECT_FALSE(is_sure(thin, true, kAll)) << "it may zigzag through text";
  EXPECT_TRUE(is_sure(thin, true, {}));
  thin.lines.at(0).spread.emplace();
  EXPECT_TRUE(is_sure(thin, true, kAll));
  thin.lines.push_back(line(kHorizon, 0.9));
  EXPECT_FALSE(is_sure(thin, true, kAll));
}

TEST_F(AutoChoice, LearnedModelsAreNotTrustedInImagesTheyHaveNotSeen) {
  const std::vector<std::pair<ImageFrame, double>> cases{
      {{400, 300}, 1.0}, {{64, 64}, 1.0},    {{48, 64}, 0.5},   {{32, 32}, 0.0},
      {{600, 240}, 1.0}, {{1200, 100}, 0.5}, {{100, 300}, 0.5}, {{3000, 200}, 0.0}};
  for (const auto& [frame, trust] : cases)
    EXPECT_NEAR(trust_in_shape(frame), trust, 1e-12) << frame.width << "x" << frame.height;
}

TEST_F(AutoChoice, LinesAlongTheLongBordersOfWideImagesAreNotTrusted) {
  constexpr ImageFrame kWide{1000, 200};
  const double level = std::numbers::pi / 2;
  for (const double side : {-1.0, 1.0}) {
    EXPECT_EQ(trust_along_border({level, side * 98.0}, kWide), 0.0);
    EXPECT_NEAR(trust_along_border({level, side * 85.0}, kWide), 0.5, 1e-12);
    EXPECT_EQ(trust_along_border({level, side * 70.0}, kWide), 1.0);
    EXPECT_EQ(trust_along_border({level, side * 145.0}, kPhoto), 1.0);
  }
  // A line that leaves a border is not along it.
  const double diagonal = level + std::atan(200.0 / 1000.0);
  for (const double theta : {0.0, 0.3, level - 0.15, level + 0.15, diagonal})
    EXPECT_EQ(trust_along_border({theta, 0.0}, kWide), 1.0) << theta;
}

TEST_F(AutoChoice, LinesAreSortedAgainAfterASecondOpinion) {
  // The first is seen by one model only, the second by both.
  std::vector answers{thin({line(kMast, 1.0), line(kHorizon, 0.9), line({2.2, 0.0}, 0.8)}),
                      photo({line(kHorizon, 0.9)})};
  answers[0].trace.lines = {kMast, kHorizon, {2.2, 0.0}};
  corroborate(answers, {2, 0.0}, kPhoto);
  const auto& lines = answers[0].recovery.lines;
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].line.rho, kHorizon.rho);
  EXPECT_EQ(lines[1].line.rho, kMast.rho);
  EXPECT_EQ(answers[0].trace.lines[0].rho, kHorizon.rho);
  EXPECT_EQ(answers[0].trace.lines.size(), 2U);
}

TEST_F(AutoChoice, AllLinesAreAskedForIfSeveralAreWanted) {
  EXPECT_EQ(wanted_from(*thin({}).model, {1, 0.5}).most, 1);
  EXPECT_EQ(wanted_from(*thin({}).model, {2, 0.5}).most, LinesWanted::kAuto);
  EXPECT_EQ(wanted_from(*thin({}).model, {50, 0.5}).most, 50);
}

TEST_F(AutoChoice, TheSurestAnswersAndOfEqualsTheFirst) {
  EXPECT_EQ(best_answer({thin({}), horizon({}), photo({})}, kPhoto), 0U);
  EXPECT_EQ(
      best_answer({thin({line(kMast, 0.3)}), horizon({line(kHorizon, 0.9)}), photo({})}, kPhoto),
      1U);
  EXPECT_EQ(best_answer({horizon({line(kHorizon, 0.7)}), photo({line(kMast, 0.705)})}, kPhoto), 0U);
}

TEST_F(AutoChoice, ThinLinesWinInWhiteNoiseOrIfTheModelsAgree) {
  const auto choose = [&](const RecoveredLine& found, PixelLine other) {
    return best_answer({thin({found}), horizon({line(other, 0.98)})}, kPhoto);
  };
  EXPECT_EQ(choose(exact(kMast, 0.98), kHorizon), 0U);
  EXPECT_EQ(choose(line(kHorizon, 0.98), kHorizon), 0U);
  EXPECT_EQ(choose(line(kMast, 0.98), kHorizon), 1U);
}

TEST_F(AutoChoice, AllLinesAreReportedIfTheSurestIsAmongThem) {
  EXPECT_EQ(
      best_answer({horizon({line(kHorizon, 0.98)}), photo({line(kMast, 0.9), line(kHorizon, 0.8)})},
                  kPhoto),
      1U);
  EXPECT_EQ(best_answer(
                {horizon({line(kHorizon, 0.98)}), photo({line(kMast, 0.9), line({2.2, 0.0}, 0.8)})},
                kPhoto),
            0U);
}

}  // namespace
}  // namespace vsmax
