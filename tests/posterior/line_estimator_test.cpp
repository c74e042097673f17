// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/line_estimator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "support/lines.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

PixelLine continuous_line(const ImageFrame& frame, std::uint32_t index) {
  return draw_continuous_line({42, Split::kTest, 0, index}, frame);
}

double evidence_of(const EvidenceMap& map, const ChordLine& line) {
  return static_cast<double>(map.sum(line, {0, map.rows(line.flat)})) + line.log_prior();
}

// The window's integral against one over a much finer grid.
TEST(PosteriorWindow, HoldsTheMassOfThePosterior) {
  const ImageFrame frame{64, 48};
  const PixelLine truth{0.3, 7.0};
  NoiseModel noise;
  noise.sigma = 0.6;
  std::vector<float> evidence;
  for (const float value : test::image_of(frame, truth, 0.6).pixels)
    evidence.push_back(static_cast<float>(noise.log_ratio(static_cast<double>(value))));
  EvidenceMap map;
  map.assign(frame, evidence);
  const ChordLine start = chord_line(truth);
  PosteriorWindow window(frame, start, 2.5);
  window.evaluate(map);
  while (window.step()) window.evaluate(map);

  constexpr int kFine = 400;
  double highest = -std::numeric_limits<double>::infinity();
  std::vector<double> values;
  for (int i = 0; i < kFine; ++i)
    for (int j = 0; j < kFine; ++j) {
      const double slope = start.slope + 0.15 * (2.0 * i / kFine - 1.0);
      const double offset = start.offset + 4.0 * (2.0 * j / kFine - 1.0);
      values.push_back(evidence_of(map, {start.flat, offset, slope}));
      highest = std::max(highest, values.back());
    }
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - highest);
  const double expected = highest + std::log(sum * (0.3 / kFine) * (8.0 / kFine));
  EXPECT_NEAR(window.log_mass(), expected, 0.15);  // the posterior has steps, one per pixel
}

TEST(LineEstimator, FindsLinesBetweenTheCells) {
  const ImageFrame frame{256, 256};
  LineEstimator estimate(frame);
  // All but one of the 60 lines at each level; the mean over all lines is in results/.
  const std::vector<std::pair<double, double>> kLeast{{0.0, 0.99}, {0.3, 0.99}, {0.6, 0.97}};
  for (const auto& [sigma, least] : kLeast) {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const PixelLine truth = continuous_line(frame, i);
      const auto found = estimate(test::image_of(frame, truth, sigma, i).pixels);
      ASSERT_TRUE(found);
      sum += ea_score(found->line, truth, frame);
      EXPECT_GT(found->log_odds, 0.0);
    }
    EXPECT_GT(sum / 60.0, least) << sigma;
  }
}

TEST(LineEstimator, WorksAtAnySizeAndAspectRatio) {
  for (const ImageFrame& frame : {ImageFrame{96, 200}, {201, 77}, {600, 400}}) {
    LineEstimator estimate(frame);
    for (const PixelLine& truth : test::long_lines(frame)) {
      const auto found = estimate(test::image_of(frame, truth, 0.3).pixels);
      ASSERT_TRUE(found);
      EXPECT_GT(ea_score(found->line, truth, frame), 0.95)
          << frame.width << "x" << frame.height << " " << truth.theta << " " << truth.rho;
    }
  }
}

// Whatever is true of rows is true of columns.
TEST(LineEstimator, CommutesWithTransposition) {
  const ImageFrame frame{120, 90};
  const ImageFrame turned{90, 120};
  LineEstimator estimate(frame);
  LineEstimator estimate_turned(turned);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const GrayImage image = test::image_of(frame, continuous_line(frame, i), 0.5, i);
    GrayImage other(turned);
    for (int y = 0; y < frame.height; ++y)
      for (int x = 0; x < frame.width; ++x)
        other.pixels[turned.index(y, x)] = image.pixels[frame.index(x, y)];
    const auto a = estimate(image.pixels);
    const auto b = estimate_turned(other.pixels);
    ASSERT_TRUE(a && b);
    // x and y are exchanged: theta becomes pi/2 - theta.
    const PixelLine back =
        canonical(PixelLine{std::numbers::pi / 2.0 - b->line.theta, b->line.rho});
    EXPECT_GT(ea_score(a->line, back, frame), 0.9999);
    EXPECT_NEAR(a->expected_score, b->expected_score, 1e-3);
  }
}

TEST(LineEstimator, KnowsHowFarItErrs) {
  const ImageFrame frame{128, 128};
  LineEstimator estimate(frame);
  constexpr std::uint32_t kLines = 200;
  double inside_68 = 0.0;
  double inside_95 = 0.0;
  double confidence = 0.0;
  double score = 0.0;
  for (std::uint32_t i = 0; i < kLines; ++i) {
    const PixelLine truth = continuous_line(frame, i);
    const auto found = estimate(test::image_of(frame, truth, 0.4, i).pixels);
    ASSERT_TRUE(found);
    const LineSpread& spread = found->spread;
    double theta = truth.theta;
    if (theta - found->line.theta > std::numbers::pi / 2.0) theta -= std::numbers::pi;
    if (theta - found->line.theta < -std::numbers::pi / 2.0) theta += std::numbers::pi;
    inside_68 += theta >= spread.theta_68[0] && theta <= spread.theta_68[1] ? 1.0 : 0.0;
    inside_95 += theta >= spread.theta_95[0] && theta <= spread.theta_95[1] ? 1.0 : 0.0;
    confidence += found->expected_score;
    score += ea_score(found->line, truth, frame);
  }
  // Three standard errors of 200 lines.
  EXPECT_NEAR(inside_68 / kLines, 0.68, 0.10);
  EXPECT_NEAR(inside_95 / kLines, 0.95, 0.05);
  EXPECT_NEAR(confidence / kLines, score / kLines, 0.02);
}

TEST(LineEstimator, FindsWideFaintAndBrokenLines) {
  const ImageFrame frame{128, 128};
  LineEstimator estimate(frame);
  const PixelLine truth{0.4, 11.3};
  const double cosine = std::cos(truth.theta);
  const double sine = std::sin(truth.theta);
  const auto drawn = [&](double half_width, double level, double period) {
    GrayImage image = test::noise_image(frame, 0.2);
    for (int y = 0; y < frame.height; ++y)
      for (int x = 0; x < frame.width; ++x) {
        const double across = frame.x(x) * cosine + frame.y(y) * sine - truth.rho;
        const double along = frame.half_diagonal() + frame.y(y) * cosine - frame.x(x) * sine;
        float& pixel = image.pixels[frame.index(x, y)];
        if (std::abs(across) <= half_width && std::fmod(along, period) <= 0.5 * period)
          pixel = std::min(1.0F, pixel + static_cast<float>(level));
      }
    return image;
  };
  constexpr double kWhole = 1e9;
  const auto score = [&](const GrayImage& image) {
    const auto found = estimate(image.pixels);
    return found ? ea_score(found->line, truth, frame) : 0.0;
  };
  EXPECT_GT(score(drawn(0.5, 0.5, kWhole)), 0.98);  // faint
  EXPECT_GT(score(drawn(2.5, 1.0, kWhole)), 0.98);  // wide
  EXPECT_GT(score(drawn(0.5, 1.0, 16.0)), 0.98);    // dashed
  const auto wide = estimate(drawn(2.5, 1.0, kWhole).pixels);
  ASSERT_TRUE(wide);
  EXPECT_GE(wide->width, 4);
  EXPECT_LE(wide->width, 6);
}

// Too few pixels to stand out from the noise along the whole chord.
TEST(LineEstimator, FindsAPieceOfALine) {
  const ImageFrame frame{200, 160};
  LineEstimator estimate(frame);
  double sum = 0.0;
  constexpr std::uint32_t kLines = 40;
  for (std::uint32_t i = 0; i < kLines; ++i) {
    const PixelLine truth{0.05 + 0.07 * i, -30.0 + 1.5 * i};
    GrayImage image(frame);
    render_line(frame, truth, 0.4, {42, Split::kTest, 0, i}, image.pixels, {1.0, 0.35, false});
    const auto found = estimate(image.pixels);
    ASSERT_TRUE(found);
    sum += ea_score(found->line, truth, frame);
  }
  EXPECT_GT(sum / kLines, 0.95);
}

TEST(LineEstimator, DoubtsALineInNoise) {
  const ImageFrame frame{128, 128};
  LineEstimator estimate(frame);
  int believed = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const auto found = estimate(test::noise_image(frame, 0.5, i).pixels);
    if (found && found->log_odds > 0.0) ++believed;
  }
  EXPECT_LE(believed, 4);
}

TEST(LineEstimator, FindsNothingInAConstantImage) {
  const ImageFrame frame{32, 32};
  LineEstimator estimate(frame);
  EXPECT_FALSE(estimate(std::vector<float>(frame.pixels(), 0.5F)));
  EXPECT_FALSE(estimate.near(std::vector<float>(frame.pixels(), 0.5F), {0.1, 2.0}));
}

TEST(LineEstimator, RefinesAKnownLine) {
  const ImageFrame frame{128, 128};
  LineEstimator estimate(frame);
  const PixelLine truth{2.0, -14.2};
  const GrayImage image = test::image_of(frame, truth, 0.3);
  const auto found = estimate.near(image.pixels, {truth.theta + 0.01, truth.rho + 0.8});
  ASSERT_TRUE(found);
  EXPECT_GT(ea_score(found->line, truth, frame), 0.995);
  EXPECT_FALSE(estimate.near(image.pixels, {2.0, 900.0}));
}

}  // namespace
}  // namespace vsmax
