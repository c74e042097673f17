// SPDX-License-Identifier: Apache-2.0
// Images with any number of lines.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/line_sets.h"
#include "support/models.h"
#include "support/scenes.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

using std::numbers::pi;

constexpr ImageFrame kFrame{256, 256};
constexpr LinesWanted kAuto{32, 0.5};

TEST(SeveralLines, OneWantedLineIsThatOfTheWholeDistribution) {
  const auto image = test::image_of({50, 41}, test::LineSet{{1.0, 3.0}, {2.5, -8.0}}, 0.3);
  for (const Model& model : test::every_model()) {
    LineRecoverer recover(model);
    const Recovery plain = recover(image);
    test::expect_same(recover(image, LinesWanted{1, 0.0}), plain);
    recover(image, LinesWanted{5, 0.1});  // leaves nothing behind
    test::expect_same(recover(image), plain);
    for (const RecoveredLine& line : plain.lines) {
      EXPECT_EQ(recover(image, LinesWanted{1, line.confidence}).lines.size(), 1U);
      EXPECT_TRUE(recover(image, LinesWanted{1, line.confidence + 1e-9}).lines.empty());
    }
  }
}

// Two to five lines under noise: nearly all are found, and nearly nothing else.
TEST(SeveralLines, AreFoundUnderNoise) {
  LineRecoverer recover(load_model("classic"));
  int matched = 0;
  int found = 0;
  int drawn = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto truth = test::random_lines(kFrame, 2 + static_cast<int>(i % 4), i);
    const auto lines = recover(test::image_of(kFrame, truth, 0.3, i), kAuto).lines;
    matched += test::matches(lines, truth, kFrame, 0.9);
    found += static_cast<int>(lines.size());
    drawn += static_cast<int>(truth.size());
  }
  const double precision = static_cast<double>(matched) / found;
  const double recall = static_cast<double>(matched) / drawn;
  EXPECT_GE(2.0 * precision * recall / (precision + recall), 0.95);
}

TEST(SeveralLines, OfAnImageWithOneAreOne) {
  LineRecoverer recover(load_model("classic"));
  int exact = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto truth = test::random_lines(kFrame, 1, i);
    const auto lines = recover(test::image_of(kFrame, truth, 0.15 * (i % 4), i), kAuto).lines;
    exact += lines.size() == 1 && test::matches(lines, truth, kFrame, 0.9) == 1 ? 1 : 0;
  }
  EXPECT_GE(exact, 58);
}

TEST(SeveralLines, OfNoiseAreNone) {
  LineRecoverer recover(load_model("classic"));
  int empty = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const double sigma = 0.3 + 0.1 * (i % 6);
    empty += recover(test::noise_image(kFrame, sigma, i), kAuto).lines.empty() ? 1 : 0;
  }
  EXPECT_GE(empty, 58);
  EXPECT_TRUE(recover(GrayImage(40, 30, 0.5F), kAuto).lines.empty());
}

// Half a bin is 0.7 degrees here: the votes lie on both sides of the seam.
TEST(SeveralLines, OnTheSeamAreFoundOnce) {
  LineRecoverer recover(load_model("classic"));
  const double half_bin = 0.5 * pi / 127.0;
  for (const double rho : {-90.0, -31.0, 0.0, 57.0, 110.0})
    for (const double share : {-1.0, -0.6, -0.2, 0.0, 0.3, 0.9})
      for (const double sigma : {0.0, 0.3}) {
        const PixelLine truth{share * half_bin, rho};
        const auto lines = recover(test::image_of(kFrame, truth, sigma), kAuto).lines;
        ASSERT_EQ(lines.size(), 1U) << share << ", " << rho << ", " << sigma;
        EXPECT_GT(ea_score(lines[0].line, truth, kFrame), 0.94) << share << ", " << rho;
      }
}

TEST(SeveralLines, FollowTheImageWhenItIsMirrored) {
  const ImageFrame frame{160, 120};
  LineRecoverer recover(load_model("classic"));
  for (std::uint32_t i = 0; i < 12; ++i) {
    const auto image = test::image_of(frame, test::random_lines(frame, 3, i), 0.2, i);
    auto mirrored = image;
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column)
        mirrored.at(frame.width - 1 - column, row) = image.at(column, row);
    const auto lines = recover(image, kAuto).lines;
    test::LineSet expected;
    for (const auto& found : lines) expected.push_back({pi - found.line.theta, found.line.rho});
    const auto found = recover(mirrored, kAuto).lines;
    ASSERT_EQ(found.size(), expected.size()) << i;
    EXPECT_EQ(test::matches(found, expected, frame, 0.995), static_cast<int>(expected.size())) << i;
  }
}

TEST(SeveralLines, AThresholdOnlyLeavesLinesOut) {
  test::Random random;
  for (const char* name : {"classic", "edges", "default"}) {
    LineRecoverer recover(load_model(name));
    for (int i = 0; i < 12; ++i) {
      const ImageFrame frame{120, 90};
      const GrayImage image = i % 3 == 0   ? test::texture(random, frame)
                              : i % 3 == 1 ? test::clouds(random, frame)
                                           : test::step(random, frame, {0.3 * i, 4.0});
      auto all = recover(image, {LinesWanted::kAuto, 0.0}).lines;
      for (const double least : {0.1, 0.2, 0.5}) {
        std::erase_if(all, [&](const auto& line) { return line.confidence < least; });
        const auto some = recover(image, {LinesWanted::kAuto, least}).lines;
        ASSERT_EQ(some.size(), all.size()) << name << ", image " << i << ", from " << least;
        for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(some[k].line, all[k].line);
      }
    }
  }
}

TEST(SeveralLines, AreAtMostAsManyAsWanted) {
  const auto image = test::image_of(kFrame, test::random_lines(kFrame, 5, 3), 0.2);
  LineRecoverer recover(load_model("classic"));
  const auto all = recover(image, kAuto).lines;
  ASSERT_EQ(all.size(), 5U);
  for (const int most : {2, 3, 4})
    EXPECT_EQ(recover(image, LinesWanted{most, 0.5}).lines.size(), static_cast<std::size_t>(most));
}

TEST(SeveralLines, AreFoundByTheBuiltInNetwork) {
  const test::LineSet truth{{0.4, 30.0}, {1.7, -20.0}, {2.6, 70.0}};
  LineRecoverer recover(load_model("paper"));
  const auto lines = recover(test::image_of(kFrame, truth, 0.3), kAuto).lines;
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_EQ(test::matches(lines, truth, kFrame, 0.9), 3);
}

TEST(SeveralLines, AreInTheTraceInTheWorkingFrame) {
  const test::LineSet truth{{0.4, 30.0}, {1.7, -20.0}};
  LineRecoverer recover(load_model("classic"));
  const auto image = test::image_of(kFrame, truth, 0.3);
  RecoveryTrace trace;
  const Recovery with = recover(image, kAuto, &trace);
  test::expect_same(with, recover(image, kAuto));
  ASSERT_EQ(with.lines.size(), 2U);
  ASSERT_EQ(trace.lines.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(trace.lines[i].rho, with.lines[i].line.rho);
}

// A network that hands on a quarter of the votes, less five: 11 where there is a line of 64 pixels.
Model peak_model(Cover cover) {
  auto layers = test::shifting_layers(0, 0);
  layers.back().biases[0] = -5.0F;
  SafeTensors file = test::file_of(layers);
  ModelSpec spec = test::small_spec();
  spec.cover = cover;
  spec.frame = {64, 64};
  spec.bins = {31, 33};
  spec.several = true;
  file.metadata = metadata_from_spec(spec);
  return model_from_safetensors(file, "peaks");
}

TEST(PeakModel, ReadsAllLinesFromOneMap) {
  const ImageFrame frame{64, 64};
  const test::LineSet truth{{0.02, 10.0}, {1.2, -12.0}, {2.3, 5.0}};
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    LineRecoverer recover(peak_model(cover));
    const auto lines = recover(test::image_of(frame, truth), kAuto).lines;
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(test::matches(lines, truth, frame, 0.85), 3);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_GT(lines[i].confidence, 0.8);
      EXPECT_LE(lines[i].confidence, i == 0 ? 1.0 : lines[i - 1].confidence);
    }
    EXPECT_EQ(recover(test::image_of(frame, truth)).lines.size(), 1U)
        << "one unless asked for more";
  }
}

// A logit of 0 is a probability of one half, on either cover.
TEST(PeakModel, ConfidenceIsTheSigmoidTimesTheExpectedScore) {
  const ImageFrame frame{64, 64};
  GrayImage image(frame);
  for (int row = 0; row < 20; ++row) image.at(32, row) = 1.0F;  // a quarter of 20 votes, less five
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    LineRecoverer recover(peak_model(cover));
    const auto lines = recover(image, LinesWanted{1, 0.0}).lines;
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_LT(lines[0].confidence, 0.5);
    EXPECT_GT(lines[0].confidence, 0.4);
    EXPECT_TRUE(recover(image, kAuto).lines.empty());
  }
}

}  // namespace
}  // namespace vsmax
