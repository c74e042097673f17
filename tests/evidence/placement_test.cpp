// SPDX-License-Identifier: Apache-2.0
// Images brought into a model's frame, and lines brought back out of it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "support/lines.h"
#include "support/random.h"
#include "vsmax/evidence/evidence.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

// The working frame as an image of its own.
struct Placed {
  GrayImage image;
  Placement placement;
};

Placed place_in_frame(const GrayImage& image, const std::optional<ImageFrame>& frame) {
  EvidenceStage prepare;
  const Evidence evidence = prepare(image, frame);
  GrayImage placed(evidence.frame);
  placed.pixels.assign(evidence.pixels.begin(), evidence.pixels.end());
  return {placed, evidence.placement};
}

TEST(EvidenceStage, CentresASmallerImageWhateverTheParities) {
  test::Random random;
  for (const ImageFrame& frame : {ImageFrame{16, 16}, {17, 16}, {16, 17}, {17, 17}})
    for (const auto& [width, height] :
         {std::pair{16, 16}, {15, 16}, {16, 15}, {15, 15}, {8, 3}, {3, 8}, {2, 2}, {2, 5}}) {
      GrayImage image(width, height);
      image.pixels = random.uniforms<float>(image.pixels.size(), 0.5, 1.0);
      const auto [placed, placement] = place_in_frame(image, frame);
      ASSERT_EQ(placed.width, frame.width);
      ASSERT_EQ(placed.height, frame.height);
      EXPECT_EQ(placement.scale_x, 1.0);
      EXPECT_EQ(placement.scale_y, 1.0);
      EXPECT_LE(std::abs(placement.shift_x), 0.5);
      EXPECT_LE(std::abs(placement.shift_y), 0.5);
      // Every pixel lies where the placement says, and nothing else was added.
      const ImageFrame original{width, height};
      for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) {
          const double x = original.x(column) + placement.shift_x + frame.half_width();
          const double y = original.y(row) + placement.shift_y + frame.half_height();
          ASSERT_EQ(x, std::round(x));
          ASSERT_EQ(y, std::round(y));
          EXPECT_EQ(placed.at(static_cast<int>(x), static_cast<int>(y)), image.at(column, row));
        }
      EXPECT_NEAR(std::accumulate(placed.pixels.begin(), placed.pixels.end(), 0.0),
                  std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0), 1e-9);
    }
}

TEST(EvidenceStage, ShrinksTheLongerSideToTheFrame) {
  const ImageFrame frame{64, 48};
  for (const auto& [width, height] : {std::pair{1000, 30},
                                      {30, 1000},
                                      {640, 480},
                                      {65, 48},
                                      {64, 49},
                                      {128, 10},
                                      {1000, 999},
                                      {5000, 2}}) {
    const auto [placed, placement] = place_in_frame(GrayImage(width, height, 1.0F), frame);
    ASSERT_EQ(placed.width, 64);
    ASSERT_EQ(placed.height, 48);
    const double shrink = std::min(64.0 / width, 48.0 / height);
    const double columns = placement.scale_x * width;
    const double rows = placement.scale_y * height;
    EXPECT_NEAR(columns, std::max(1.0, shrink * width), 0.5 + 1e-9) << width << "x" << height;
    EXPECT_NEAR(rows, std::max(1.0, shrink * height), 0.5 + 1e-9) << width << "x" << height;
    EXPECT_TRUE(std::round(columns) == 64.0 || std::round(rows) == 48.0);
    // White stays white, and the rest is black.
    double white = 0.0;
    for (const float pixel : placed.pixels) {
      EXPECT_TRUE(pixel == 0.0F || pixel == 1.0F);
      white += static_cast<double>(pixel);
    }
    EXPECT_NEAR(white, columns * rows, 1e-6);
  }
}

TEST(EvidenceStage, LeavesAnImageOfTheFramesSizeUnchanged) {
  test::Random random;
  GrayImage image(20, 30);
  image.pixels = random.uniforms<float>(600);
  for (const std::optional<ImageFrame>& frame : {std::optional(ImageFrame{20, 30}), {}}) {
    const auto [placed, placement] = place_in_frame(image, frame);
    EXPECT_TRUE(placed.frame() == image.frame());
    EXPECT_EQ(placed.pixels, image.pixels);
    EXPECT_EQ(placement.scale_x, 1.0);
    EXPECT_EQ(placement.scale_y, 1.0);
    EXPECT_EQ(placement.shift_x, 0.0);
    EXPECT_EQ(placement.shift_y, 0.0);
  }
}

// Floats without gaps are not copied where the model works at the image's size.
TEST(EvidenceStage, UsesFloatsInPlace) {
  const GrayImage image(20, 30, 0.5F);
  EvidenceStage prepare;
  const Evidence evidence = prepare(image, std::nullopt);
  EXPECT_EQ(evidence.pixels.data(), image.pixels.data());
  EXPECT_EQ(evidence.image.data(), image.pixels.data());
  EXPECT_EQ(prepare(image, ImageFrame{64, 64}).image.data(), image.pixels.data());
}

TEST(EvidenceStage, CarriesNothingFromOneImageToTheNext) {
  test::Random random;
  EvidenceStage shared;
  const ImageFrame frame{24, 20};
  for (int repeat = 0; repeat < 20; ++repeat) {
    GrayImage image(random.integer(2, 50), random.integer(2, 50));
    image.pixels = random.uniforms<float>(image.pixels.size());
    const Evidence evidence = shared(image, frame);
    const auto expected = place_in_frame(image, frame).image.pixels;
    EXPECT_EQ(std::vector<float>(evidence.pixels.begin(), evidence.pixels.end()), expected);
  }
}

TEST(EvidenceStage, SwapsBlackAndWhiteForDarkLines) {
  test::Random random;
  GrayImage image(9, 7);
  image.pixels = random.integers<float>(image.pixels.size(), 0, 1);
  EvidenceStage prepare;
  const Evidence swapped = prepare(image, std::nullopt, true);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    EXPECT_EQ(swapped.pixels[i], 1.0F - image.pixels[i]);
  EXPECT_EQ(prepare(image, ImageFrame{20, 20}, true).pixels[0], 0.0F) << "the frame stays black";
}

TEST(Placement, MapsLinesBackToTheOriginal) {
  test::Random random;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Placement placement{random.uniform(0.05, 1.0), random.uniform(0.05, 1.0),
                              random.uniform(-20.0, 20.0), random.uniform(-20.0, 20.0)};
    const PixelLine working{random.uniform(-10.0, 10.0), random.uniform(-100.0, 100.0)};
    const PixelLine original = placement.image_from_work(working);
    EXPECT_GE(original.theta, 0.0);
    EXPECT_LT(original.theta, std::numbers::pi);
    for (const double s : {-50.0, 0.0, 80.0}) {
      const double x = original.rho * std::cos(original.theta) - s * std::sin(original.theta);
      const double y = original.rho * std::sin(original.theta) + s * std::cos(original.theta);
      EXPECT_NEAR((placement.scale_x * x + placement.shift_x) * std::cos(working.theta) +
                      (placement.scale_y * y + placement.shift_y) * std::sin(working.theta),
                  working.rho, 1e-9);
    }
  }
}

TEST(Placement, OfTheImageItselfChangesNoLine) {
  for (const double theta : {0.0, 0.001, 1.0, 2.5, 3.1415})
    for (const double rho : {-7.0, 0.0, 3.5}) {
      const PixelLine line = Placement{}.image_from_work({theta, rho});
      EXPECT_NEAR(line.theta, theta, 1e-15);
      EXPECT_NEAR(line.rho, rho, 1e-14);
    }
}

// End to end: a line of a large image, placed, found in the frame and mapped back.
TEST(Placement, RecoversTheLineOfALargerImage) {
  LineRecoverer recover(load_model("classic"));
  for (const auto& [size, frame] : {std::pair{ImageFrame{700, 500}, ImageFrame{128, 128}},
                                    {{301, 400}, {128, 96}},
                                    {{200, 131}, {256, 256}},
                                    {{131, 200}, {199, 256}},
                                    {{640, 480}, {256, 256}}}) {
    const auto lines = test::long_lines(size);
    for (std::size_t i = 0; i < lines.size(); i += 7) {
      const PixelLine& truth = lines[i];
      const auto placed = place_in_frame(test::image_of(size, truth), frame);
      const auto found = recover(placed.image).lines;
      ASSERT_EQ(found.size(), 1U);
      EXPECT_GT(ea_score(placed.placement.image_from_work(found[0].line), truth, size), 0.95)
          << size.width << "x" << size.height << ": " << truth.theta << ", " << truth.rho;
    }
  }
}

// A line that runs along a picture of 1000 x 30 is still found after shrinking to 256 x 8, to half
// a bin of 1.43 pixels there: 2.7 pixels of 29 here, or EA 0.82.
TEST(Placement, RecoversALineOfAVeryFlatImage) {
  LineRecoverer recover(load_model("classic"));
  const ImageFrame size{1000, 30};
  for (const double tilt : {-0.015, 0.0, 0.02}) {
    const PixelLine truth{std::numbers::pi / 2.0 + tilt, 2.0};
    const auto placed = place_in_frame(test::image_of(size, truth), ImageFrame{256, 256});
    const auto found = recover(placed.image).lines;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_GT(ea_score(placed.placement.image_from_work(found[0].line), truth, size), 0.82) << tilt;
  }
}

}  // namespace
}  // namespace vsmax
