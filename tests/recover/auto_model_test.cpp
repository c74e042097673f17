// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/lines.h"
#include "support/models.h"
#include "support/scenes.h"
#include "vsmax/base/error.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

using std::numbers::pi;

TEST(AutoModel, TakesTheModelThatFitsTheImage) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  const ImageFrame frame{200, 160};
  for (int i = 0; i < 10; ++i) {
    const PixelLine line = test::random_line(random, frame);
    const auto thin = recover(test::image_of(frame, line, 0.3));
    EXPECT_EQ(thin.model, "default");
    EXPECT_GT(ea_score(thin.lines.at(0).line, line, frame), 0.9);
    const auto step = recover(test::step(random, frame, line));
    EXPECT_NE(step.model, "default");
    EXPECT_GT(ea_score(step.lines.at(0).line, line, frame), 0.9);
  }
}

TEST(AutoModel, AnswersAsTheChosenModelDoes) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  for (const auto scene : {test::clouds, test::texture, test::blobs}) {
    const GrayImage image = scene(random, {120, 90});
    const Recovery chosen = recover(image);
    const Recovery own = LineRecoverer(load_model(chosen.model))(image);
    ASSERT_EQ(chosen.lines.size(), own.lines.size());
    for (std::size_t i = 0; i < own.lines.size(); ++i) {
      EXPECT_EQ(chosen.lines[i].line.theta, own.lines[i].line.theta);
      EXPECT_EQ(chosen.lines[i].line.rho, own.lines[i].line.rho);
      EXPECT_LE(chosen.lines[i].confidence, own.lines[i].confidence);
    }
  }
}

// Sky above a road with two straight sides: horizon is surer of the one line that it knows.
TEST(AutoModel, AnswersWithAllLinesIfTheSurestIsAmongThem) {
  test::Random random;
  RgbImage image(350, 250);
  for (int row = 0; row < 250; ++row)
    for (int column = 0; column < 350; ++column) {
      const double depth = (row - 75.0) / 175.0;
      const bool sky = row < 75;
      const bool road = !sky && std::abs(column - 165.0) < 120.0 * depth;
      const std::array<std::uint8_t, 3> colour =
          sky ? std::array<std::uint8_t, 3>{150, 190, 230}
              : (road ? std::array<std::uint8_t, 3>{90, 90, 95}
                      : std::array<std::uint8_t, 3>{60, 130, 50});
      const std::size_t at = 3 * (std::size_t{350} * row + column);
      // Noise and light that falls off to the side: it is not to be a drawing.
      const int grain = random.integer(-3, 3) - column / 12;
      for (std::size_t c = 0; c < 3; ++c)
        image.pixels[at + c] = static_cast<std::uint8_t>(colour[c] + grain);
    }
  LineRecoverer recover(load_model("auto"));
  const Recovery one = recover(image);
  const Recovery all = recover(image, {8, 0.5});
  EXPECT_EQ(one.lines.size(), 1U);
  EXPECT_GE(all.lines.size(), 3U);
  EXPECT_GT(ea_score(all.lines.at(0).line, one.lines.at(0).line, image.frame()), 0.95);
  // A higher bound only leaves out lines.
  const Recovery fewer = recover(image, {8, all.lines.at(1).confidence});
  EXPECT_EQ(fewer.model, all.model);
  ASSERT_EQ(fewer.lines.size(), 2U);
  EXPECT_EQ(fewer.lines[1].line.theta, all.lines[1].line.theta);
}

TEST(AutoModel, DrawingsAreNoPhotographs) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  // A table of thin rules: all of them, and nothing else.
  GrayImage table(320, 240, 1.0F);
  for (int row = 0; row < 240; ++row)
    for (int column = 0; column < 320; ++column)
      if (row % 60 == 30 || column % 80 == 40) table.at(column, row) = 0.0F;
  const Recovery rules = recover(table, {LinesWanted::kAuto, 0.5});
  EXPECT_EQ(rules.model, "default");
  EXPECT_EQ(rules.lines.size(), 8U);
  // Blocks of random grey values, in which the models of photographs see horizons.
  for (int i = 0; i < 5; ++i) {
    GrayImage blocks(128, 128, 0.0F);
    for (int row = 0; row < 128; row += 4)
      for (int column = 0; column < 128; column += 4) {
        const auto value = static_cast<float>(random.uniform());
        for (int p = 0; p < 16; ++p) blocks.at(column + p % 4, row + p / 4) = value;
      }
    EXPECT_TRUE(recover(blocks, {LinesWanted::kAuto, 0.5}).lines.empty()) << i;
  }
}

// Bars, axes one pixel wide, and rows of strokes and squares in the place of text.
TEST(AutoModel, FindsTheEdgesOfADrawingAmongText) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  GrayImage chart(600, 400, 1.0F);
  const auto fill = [&](int left, int top, int right, int bottom, float value) {
    for (int row = top; row < bottom; ++row)
      for (int column = left; column < right; ++column) chart.at(column, row) = value;
  };
  for (const int row : {16, 28, 372, 384})
    for (int column = 60; column < 540; column += 8) {
      fill(column, row, column + 2, row + random.integer(5, 9), 0.0F);
      fill(column, row + 4, column + random.integer(2, 4), row + 6, 0.0F);
    }
  std::vector<PixelLine> truth;
  for (int bar = 0; bar < 6; ++bar) {
    const int left = 80 + 80 * bar;
    const int top = 60 + (bar * 80) % 220;
    fill(left, top, left + 50, 350, 0.3F + 0.1F * static_cast<float>(bar));
    truth.push_back({0.0, left - 300.0});
    truth.push_back({0.0, left + 50 - 300.0});
    truth.push_back({pi / 2, top - 200.0});
  }
  fill(60, 350, 580, 351, 0.0F);
  fill(60, 50, 61, 350, 0.0F);
  truth.push_back({pi / 2, 350.5 - 200.0});
  truth.push_back({0.0, 60.5 - 300.0});
  for (const double sigma : {0.0, 1.0}) {
    GrayImage image = chart;
    test::add_noise(image, random, sigma / 255.0);
    const Recovery found = recover(image, {LinesWanted::kAuto, 0.5});
    EXPECT_EQ(found.model, "edges");
    const auto is_one = [&](PixelLine line, PixelLine other) {
      return angle_between(line.theta, other.theta) < 0.01 &&
             ea_score(line, other, image.frame()) > 0.98;
    };
    for (const PixelLine line : truth)
      EXPECT_TRUE(std::ranges::any_of(found.lines,
                                      [&](const auto& other) { return is_one(line, other.line); }))
          << sigma << " " << line.theta << " " << line.rho;
    for (const auto& other : found.lines)
      EXPECT_TRUE(
          std::ranges::any_of(truth, [&](PixelLine line) { return is_one(line, other.line); }))
          << sigma << " " << other.line.theta << " " << other.line.rho;
  }
}

TEST(AutoModel, DrawingsWithSlightNoiseAreNoPhotographs) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  // A triangle on a plain ground.
  constexpr ImageFrame kFrame{320, 240};
  const std::array<PixelLine, 3> sides{{{0.6, 50.0}, {2.3, 45.0}, {1.5, -40.0}}};
  GrayImage triangle(kFrame);
  for (int row = 0; row < 240; ++row)
    for (int column = 0; column < 320; ++column) {
      const auto side = [&](std::size_t i) {
        return kFrame.x(column) * std::cos(sides[i].theta) +
               kFrame.y(row) * std::sin(sides[i].theta) - sides[i].rho;
      };
      const bool inside = side(0) < 0.0 && side(1) < 0.0 && side(2) > 0.0;
      triangle.at(column, row) = inside ? 0.3F : 0.9F;
    }
  for (const double sigma : {0.0, 1.0, 2.0, 4.0}) {
    GrayImage image = triangle;
    test::add_noise(image, random, sigma / 255.0);
    const Recovery found = recover(image, {LinesWanted::kAuto, 0.5});
    EXPECT_EQ(found.model, "edges") << sigma;
    EXPECT_EQ(found.lines.size(), 3U) << sigma;
    for (const PixelLine side : sides)
      EXPECT_TRUE(std::any_of(found.lines.begin(), found.lines.end(), [&](const auto& line) {
        return ea_score(line.line, side, kFrame) > 0.9;
      })) << sigma;
  }
}

TEST(AutoModel, SmallNoiseIsNoPhotograph) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  for (const int side : {8, 16, 24, 32}) {
    GrayImage image(side, side);
    for (float& pixel : image.pixels) pixel = static_cast<float>(random.uniform(0.0, 1.0));
    EXPECT_TRUE(recover(image, {8, 0.5}).lines.empty()) << side;
  }
}

TEST(AutoModel, PrefersTheFirstOfEquals) {
  LineRecoverer recover(load_model("auto"));
  EXPECT_EQ(recover(GrayImage(40, 30, 0.5F)).model, "default");
  EXPECT_TRUE(recover(GrayImage(40, 30, 0.5F)).lines.empty());
}

TEST(AutoModel, TracesTheChosenModel) {
  test::Random random;
  LineRecoverer recover(load_model("auto"));
  const ImageFrame frame{300, 200};
  RecoveryTrace trace;
  EXPECT_NE(recover(test::step(random, frame, {1.5, 20.0}), &trace).model, "default");
  EXPECT_LT(trace.evidence.width, 300) << "the working frame of the model";
  EXPECT_EQ(recover(test::image_of(frame, {1.5, 20.0}), &trace).model, "default");
  EXPECT_EQ(trace.evidence.width, 300);
}

}  // namespace
}  // namespace vsmax
