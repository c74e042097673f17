// SPDX-License-Identifier: Apache-2.0
#include "draw/captions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vsmax::drawing {
namespace {

std::ptrdiff_t characters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  });
}

Recovery recovery_of(PixelLine line, const ImageFrame& frame) {
  return {{{line, 0.97, visible_segment(line, frame)}}};
}

void expect_fits(const Lines& lines, int width) {
  EXPECT_LE(lines.size(), std::size_t{3});
  for (const std::string& line : lines) EXPECT_LE(characters(line), width) << line;
}

// 41 characters of a wide font fit beside the next panel, 36 at the right margin.
TEST(Captions, FitTheirPanels) {
  const GrayImage large(2, 2);
  expect_fits(image_caption(large, true), 41);
  expect_fits(accumulator_caption(large, {16384, 16384}), 41);
  expect_fits(accumulator_caption(large, {2, 2}), 41);
  for (const Distribution kind :
       {Distribution::kNone, Distribution::kProbabilities, Distribution::kScores}) {
    expect_fits(distribution_caption(kind, 0.99999), 36);
    expect_fits(line_caption({}, kind), 36);
    const RecoveredLine outside{{3.14, -9999999.99}, 1.0, std::nullopt};
    expect_fits(line_caption({{outside}}, kind), 36);
    expect_fits(line_caption(recovery_of({0.5, 1.0}, {64, 64}), kind), 36);
    expect_fits(describe({{outside, outside, outside}}), 32);
  }
}

TEST(Captions, ALearnedModelNamesTheSizeItSaw) {
  const GrayImage image(300, 200);
  EXPECT_NE(accumulator_caption(image, {256, 256}).front().find("256 × 256"), std::string::npos);
  EXPECT_EQ(accumulator_caption(image, {300, 200}).front().find("300"), std::string::npos);
}

TEST(Captions, LinesThatMissTheImageSaySo) {
  const auto says_so = [](double rho) {
    const Lines lines =
        line_caption(recovery_of({0.5, rho}, {64, 64}), Distribution::kProbabilities);
    return lines.back().find("misses") != std::string::npos;
  };
  EXPECT_FALSE(says_so(10.0));
  EXPECT_TRUE(says_so(500.0));
}

TEST(Captions, TheModelIsNamedIfItsNameFits) {
  Recovery recovery = recovery_of({0.5, 10.0}, {64, 64});
  recovery.model = "runs/a/model.safetensors";
  EXPECT_EQ(line_caption(recovery, Distribution::kProbabilities).back(),
            "Model: model.safetensors");
  expect_fits(line_caption(recovery, Distribution::kProbabilities), 36);
  recovery.model = std::string(40, 'x');
  EXPECT_EQ(line_caption(recovery, Distribution::kProbabilities).size(), 2U);
}

TEST(Captions, DescribeInDegreesAndPixels) {
  EXPECT_EQ(describe(recovery_of({0.5235987755982988, -4.0}, {64, 64})),
            (Lines{"θ 30.00°, ρ −4.00 px", "confidence 0.97"}));
  EXPECT_EQ(describe({}), Lines{});
}

TEST(Captions, AnAngleThatRoundsTo180IsShownAs0) {
  EXPECT_EQ(describe(recovery_of({3.14159, 20.0}, {64, 64})).front(), "θ 0.00°, ρ −20.00 px");
  EXPECT_EQ(describe(recovery_of({3.1415, 20.0}, {64, 64})).front(), "θ 179.99°, ρ 20.00 px");
  EXPECT_EQ(describe(recovery_of({0.0, 20.0}, {64, 64})).front(), "θ 0.00°, ρ 20.00 px");
}

TEST(Captions, Percentages) {
  EXPECT_EQ(percent_text(0.375), "37.5 %");
  EXPECT_EQ(percent_text(0.99999), "> 99.9 %");
  EXPECT_EQ(percent_text(1e-7), "< 0.01 %");
}

TEST(Captions, FixedNumbers) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-12.345, 1), "-12.3");
  EXPECT_EQ(fixed(3.0, 0), "3");
  EXPECT_LT(fixed(-1.5e200, 2).size(), std::size_t{12});
  EXPECT_EQ(number_text(-12.345, 1), "−12.3");
}

}  // namespace
}  // namespace vsmax::drawing
