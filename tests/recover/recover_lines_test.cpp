// SPDX-License-Identifier: Apache-2.0
// End to end: a rendered line in, the same line out.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "support/lines.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

using std::numbers::pi;

const ImageFrame kSizes[] = {{64, 64}, {256, 256}, {300, 200}, {97, 401}};

// Half a bin of the grid in theta and in rho costs up to 0.05 of EA; on average less than half
// that.
void expect_recovers_long_lines(const std::string& model, const ImageFrame& size) {
  LineRecoverer recover(load_model(model));
  const auto lines = test::long_lines(size);
  ASSERT_GT(lines.size(), 50U);
  double sum = 0.0;
  for (const auto& truth : lines) {
    const auto found = recover(test::image_of(size, truth)).lines;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_GE(found[0].line.theta, 0.0);
    EXPECT_LT(found[0].line.theta, pi);
    EXPECT_TRUE(found[0].visible);
    EXPECT_GE(found[0].confidence, 0.0);
    EXPECT_LE(found[0].confidence, 1.0);
    const double score = ea_score(found[0].line, truth, size);
    EXPECT_GT(score, 0.94) << size.width << "x" << size.height << ": theta " << truth.theta
                           << ", rho " << truth.rho;
    sum += score;
  }
  EXPECT_GT(sum / static_cast<double>(lines.size()), 0.975) << size.width << "x" << size.height;
}

TEST(Classic, RecoversCleanLinesOfEverySize) {
  for (const auto& size : kSizes) expect_recovers_long_lines("classic", size);
}

TEST(ArgmaxModel, RecoversCleanLinesOfEverySize) {
  for (const auto& size : kSizes) expect_recovers_long_lines("argmax", size);
}

TEST(Classic, RecoversLinesOnTheSeamAsWellAsElsewhere) {
  const ImageFrame size{256, 256};
  LineRecoverer recover(load_model("classic"));
  for (const double rho : {-100.0, -31.0, 0.0, 57.0, 110.0})
    for (const double theta : {0.001, 0.01, pi - 0.001, pi - 0.01}) {
      const PixelLine truth{theta, rho};
      const auto found = recover(test::image_of(size, truth)).lines;
      ASSERT_EQ(found.size(), 1U);
      EXPECT_GT(ea_score(found[0].line, truth, size), 0.97) << theta << ", " << rho;
    }
}

TEST(Classic, RecoversLinesUnderNoise) {
  const ImageFrame size{256, 256};
  LineRecoverer recover(load_model("classic"));
  double sum = 0.0;
  const auto lines = test::long_lines(size);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto found =
        recover(test::image_of(size, lines[i], 0.5, static_cast<std::uint32_t>(i))).lines;
    sum += found.empty() ? 0.0 : ea_score(found[0].line, lines[i], size);
  }
  EXPECT_GT(sum / static_cast<double>(lines.size()), 0.95);
}

TEST(Classic, IgnoresBrightnessAndContrast) {
  const ImageFrame size{128, 96};
  const PixelLine truth{0.8, 12.0};
  LineRecoverer recover(load_model("classic"));
  const PixelLine plain = recover(test::image_of(size, truth)).lines.at(0).line;
  for (const float contrast : {1e-30F, 1.0F / 255.0F, 1.0F, 255.0F, 1e30F}) {
    auto image = test::image_of(size, truth);
    for (float& pixel : image.pixels) pixel *= contrast;
    const auto found = recover(image).lines;
    ASSERT_EQ(found.size(), 1U) << contrast;
    EXPECT_GT(ea_score(found[0].line, plain, size), 0.999) << contrast;
  }
  for (const float brightness : {-1.0F, 0.5F, 1.0F, 3.0F}) {
    auto image = test::image_of(size, truth);
    for (float& pixel : image.pixels) pixel = brightness + 0.1F * pixel;
    const auto found = recover(image).lines;
    ASSERT_EQ(found.size(), 1U) << brightness;
    EXPECT_GT(ea_score(found[0].line, plain, size), 0.999) << brightness;
  }
}

TEST(Classic, FollowsTheImageWhenItIsMirrored) {
  const ImageFrame size{120, 90};
  LineRecoverer recover(load_model("classic"));
  for (const PixelLine truth : {PixelLine{0.3, 10.0}, {1.2, -20.0}, {2.7, 5.0}}) {
    const auto image = test::image_of(size, truth, 0.2);
    auto mirrored = image;
    for (int row = 0; row < size.height; ++row)
      for (int column = 0; column < size.width; ++column)
        mirrored.at(size.width - 1 - column, row) = image.at(column, row);
    const auto a = recover(image).lines;
    const auto b = recover(mirrored).lines;
    ASSERT_EQ(a.size(), 1U);
    ASSERT_EQ(b.size(), 1U);
    EXPECT_GT(ea_score({pi - a[0].line.theta, a[0].line.rho}, b[0].line, size), 1.0 - 1e-4);
  }
}

TEST(Recovery, SeesTheSegmentOfTheLineItReturns) {
  const ImageFrame size{90, 120};
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    for (const auto& truth : test::long_lines(size)) {
      const auto found = recover(test::image_of(size, truth)).lines;
      ASSERT_EQ(found.size(), 1U);
      const auto expected = visible_segment(found[0].line, size);
      ASSERT_TRUE(expected && found[0].visible);
      EXPECT_EQ(found[0].visible->begin, expected->begin);
      EXPECT_EQ(found[0].visible->end, expected->end);
    }
  }
}

TEST(Confidence, IsHigherOnACleanLineThanOnNoise) {
  const ImageFrame size{128, 128};
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    double clean = 1.0;
    double noise = 0.0;
    const auto lines = test::long_lines(size);
    for (std::size_t i = 0; i < lines.size(); i += 9)
      clean = std::min(clean, recover(test::image_of(size, lines[i])).lines.at(0).confidence);
    for (std::uint32_t i = 0; i < 10; ++i)
      noise = std::max(noise, recover(test::noise_image(size, 0.5, i)).lines.at(0).confidence);
    EXPECT_GT(clean, noise) << model;
  }
}

}  // namespace
}  // namespace vsmax
