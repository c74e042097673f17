// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/thin_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "support/lines.h"
#include "support/random.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

GrayImage blurred(const GrayImage& image) {
  GrayImage result = image;
  const ImageFrame frame{image.width, image.height};
  for (int y = 0; y < frame.height; ++y)
    for (int x = 1; x + 1 < frame.width; ++x)
      result.pixels[frame.index(x, y)] =
          (image.pixels[frame.index(x - 1, y)] + image.pixels[frame.index(x, y)] +
           image.pixels[frame.index(x + 1, y)]) /
          3.0F;
  return result;
}

TEST(WhiteBeside, TellsWhiteNoiseFromTexture) {
  const ImageFrame frame{128, 100};
  const std::vector<PixelLine> line{{0.6, 12.0}};
  for (const double sigma : {0.0, 0.1, 0.8})
    EXPECT_TRUE(white_beside(test::image_of(frame, line[0], sigma).pixels, frame, line, 8.0));
  EXPECT_FALSE(white_beside(blurred(test::noise_image(frame, 0.3)).pixels, frame, line, 8.0));
  // A second line that nobody mentions is not white noise.
  EXPECT_FALSE(white_beside(test::image_of(frame, {2.0, -20.0}).pixels, frame, line, 8.0));
}

TEST(DefaultModel, ReadsALineMorePreciselyThanItsCells) {
  const ImageFrame frame{256, 256};
  LineRecoverer recover(load_model("default"));
  LineRecoverer classic(load_model("classic"));
  double sum = 0.0;
  double sum_of_classic = 0.0;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const PixelLine truth = draw_continuous_line({42, Split::kTest, 0, i}, frame);
    const GrayImage image = test::image_of(frame, truth, 0.3, i);
    const Recovery found = recover(image);
    ASSERT_EQ(found.lines.size(), 1U);
    ASSERT_TRUE(found.lines[0].spread);
    sum += ea_score(found.lines[0].line, truth, frame);
    sum_of_classic += ea_score(classic(image).lines.at(0).line, truth, frame);
  }
  EXPECT_GT(sum, sum_of_classic + 0.005 * 30);
}

TEST(DefaultModel, FindsDarkLinesAsWell) {
  const ImageFrame frame{128, 128};
  LineRecoverer recover(load_model("default"));
  const PixelLine truth{1.9, 13.3};
  GrayImage image = test::image_of(frame, truth, 0.4);
  for (float& pixel : image.pixels) pixel = 1.0F - pixel;
  const Recovery found = recover(image);
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_GT(ea_score(found.lines[0].line, truth, frame), 0.98);
  EXPECT_GT(found.lines[0].confidence, 0.9);
}

TEST(DefaultModel, LooksForDarkLinesOnlyIfAsked) {
  const ImageFrame frame{128, 128};
  Model model = load_model("default");
  model.spec.polarity = Polarity::kDark;
  LineRecoverer recover(model);
  const GrayImage bright = test::image_of(frame, {1.9, 13.3}, 0.4);
  GrayImage dark = bright;
  for (float& pixel : dark.pixels) pixel = 1.0F - pixel;
  EXPECT_GT(recover(dark).lines.at(0).confidence, 0.9);
  for (const RecoveredLine& line : recover(bright).lines) EXPECT_LT(line.confidence, 0.5);
}

TEST(DefaultModel, RefinesEveryLine) {
  const ImageFrame frame{256, 256};
  LineRecoverer recover(load_model("default"));
  const std::vector<PixelLine> truth{{0.31, 40.2}, {1.23, -33.3}, {2.51, 5.7}};
  GrayImage image = test::noise_image(frame, 0.2);
  for (const PixelLine& line : truth) {
    const GrayImage drawn = test::image_of(frame, line);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      image.pixels[i] = std::max(image.pixels[i], drawn.pixels[i]);
  }
  const Recovery found = recover(image, {LinesWanted::kAuto, 0.5});
  ASSERT_EQ(found.lines.size(), 3U);
  for (const RecoveredLine& line : found.lines) {
    EXPECT_TRUE(line.spread);
    double best = 0.0;
    for (const PixelLine& other : truth) best = std::max(best, ea_score(line.line, other, frame));
    EXPECT_GT(best, 0.99);
  }
}

// The accumulator's line is many pixels off at its ends there, so that most of the true one lies
// beside it.
TEST(DefaultModel, IsAsPreciseInLargeImages) {
  const ImageFrame frame{2400, 1600};
  const PixelLine truth{1.7031, 101.3};
  GrayImage image = test::image_of(frame, truth);
  test::Random random;
  for (float& pixel : image.pixels) {
    const double noisy = 0.3 + 0.5 * static_cast<double>(pixel) + 0.04 * random.normal();
    pixel = static_cast<float>(std::clamp(noisy, 0.0, 1.0));
  }
  const Recovery found = LineRecoverer(load_model("default"), 2)(image);
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_TRUE(found.lines[0].spread);
  EXPECT_GT(ea_score(found.lines[0].line, truth, frame), 0.999);
}

TEST(DefaultModel, TwoPixelsAreNoLine) {
  GrayImage image(128, 128);
  image.pixels[image.frame().index(20, 30)] = 1.0F;
  LineRecoverer recover(load_model("default"));
  for (const auto& [column, row] : {std::array{100, 90}, {60, 31}, {20, 127}}) {
    GrayImage dots = image;
    dots.pixels[image.frame().index(column, row)] = 1.0F;
    EXPECT_TRUE(recover(dots, {LinesWanted::kAuto, 0.2}).lines.empty()) << column;
  }
}

TEST(DefaultModel, TwoSquaresAreNoLine) {
  GrayImage image(300, 200);
  for (const auto& [x, y] : {std::array{40, 50}, {250, 140}})
    for (int row = y - 2; row <= y + 2; ++row)
      for (int column = x - 2; column <= x + 2; ++column)
        image.pixels[image.frame().index(column, row)] = 1.0F;
  LineRecoverer recover(load_model("default"));
  EXPECT_TRUE(recover(image, {LinesWanted::kAuto, 0.5}).lines.empty());
}

// The accumulator's bins are 8 pixels wide there, and the line is lost among them.
TEST(DefaultModel, IsExactInLargeImages) {
  const ImageFrame frame{4000, 1500};
  const PixelLine truth{1.2, 300.0};
  const Recovery found = LineRecoverer(load_model("default"))(test::image_of(frame, truth, 0.4));
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_TRUE(found.lines[0].spread);
  EXPECT_NEAR(found.lines[0].line.theta, truth.theta, 1e-4);
  EXPECT_NEAR(found.lines[0].line.rho, truth.rho, 0.1);
  EXPECT_GT(found.lines[0].confidence, 0.99);
}

// Where the noise is not white, the answer is that of classic, bit for bit.
TEST(DefaultModel, IsClassicInATextureButMorePrecise) {
  const ImageFrame frame{128, 128};
  const PixelLine line{0.8, 10.0};
  const GrayImage image = blurred(test::image_of(frame, line, 0.3));
  const Recovery found = LineRecoverer(load_model("default"))(image);
  const Recovery expected = LineRecoverer(load_model("classic"))(image);
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_EQ(found.lines[0].confidence, expected.lines.at(0).confidence);
  EXPECT_NEAR(found.lines[0].line.theta, line.theta, 0.004);
  EXPECT_NEAR(found.lines[0].line.rho, line.rho, 0.1);
  EXPECT_GT(std::abs(expected.lines.at(0).line.theta - line.theta), 0.004);
  EXPECT_FALSE(found.lines[0].spread);
}

TEST(NoiseIsGaussian, KnowsDotsSpeckleAndWallsFromNoise) {
  const ImageFrame frame{128, 128};
  const PixelLine line{0.7, 12.0};
  for (const double sigma : {0.0, 0.1, 0.3, 0.6, 0.8})
    EXPECT_TRUE(
        noise_is_gaussian(test::image_of(frame, line, sigma).pixels, frame, {&line, 1}, 8.0))
        << sigma;
  test::Random random;
  const auto is_gaussian = [&](const auto& draw) {
    GrayImage image(frame);
    for (float& pixel : image.pixels) pixel = static_cast<float>(draw());
    return noise_is_gaussian(image.pixels, frame, {&line, 1}, 8.0);
  };
  EXPECT_TRUE(is_gaussian([&] { return 0.5 + 0.1 * random.normal(); }));
  EXPECT_FALSE(is_gaussian([&] { return random.uniform(0.0, 1.0) < 0.01 ? 1.0 : 0.0; }));  // dots
  EXPECT_FALSE(is_gaussian([&] { return random.uniform(0.0, 1.0) < 0.5 ? 1.0 : 0.0; }));
  EXPECT_FALSE(is_gaussian([&] { return -std::log(random.uniform(1e-9, 1.0)); }));  // speckle
  EXPECT_FALSE(is_gaussian([&] { return std::round(40.0 + 0.5 * random.normal()) / 255.0; }));
  EXPECT_FALSE(is_gaussian([&] {  // hot pixels
    return random.uniform(0.0, 1.0) < 0.001 ? 1.0 : 0.2 + 0.03 * random.normal();
  }));
}

// The polarity of one image says nothing about the next.
TEST(ThinLines, ForgetTheImageBefore) {
  const ImageFrame frame{128, 128};
  const auto drawn = [&](std::span<const PixelLine> lines, bool dark) {
    GrayImage image(frame);
    render_lines(frame, lines, 0.0, {}, image.pixels, {1.0, 1.0, dark});
    return image;
  };
  const std::vector<PixelLine> two{{0.8, 10.0}, {2.5, -30.0}};
  const LinesWanted wanted{32, 0.5};
  for (const bool dark : {false, true}) {
    const GrayImage image = drawn(two, dark);
    LineRecoverer fresh(load_model("default"));
    LineRecoverer used(load_model("default"));
    used(drawn({two.data(), 1}, !dark), wanted);
    const Recovery first = fresh(image, wanted);
    const Recovery second = used(image, wanted);
    ASSERT_EQ(first.lines.size(), 2U);
    ASSERT_EQ(second.lines.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(first.lines[i].line.theta, second.lines[i].line.theta);
      EXPECT_EQ(first.lines[i].line.rho, second.lines[i].line.rho);
      const double nearest = std::max(ea_score(first.lines[i].line, two[0], frame),
                                      ea_score(first.lines[i].line, two[1], frame));
      EXPECT_GT(nearest, 0.995);
    }
  }
}

}  // namespace
}  // namespace vsmax
