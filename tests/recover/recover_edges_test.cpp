// SPDX-License-Identifier: Apache-2.0
// Images without a line, tiny images, and images with NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "support/error_message.h"
#include "support/lines.h"
#include "support/models.h"
#include "support/random.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

using test::throws_error_with;

// What holds for the result on any image.
void expect_line_within_corners_or_none(const Recovery& recovery, const GrayImage& image) {
  ASSERT_LE(recovery.lines.size(), 1U);
  for (const auto& found : recovery.lines) {
    ASSERT_LE(std::abs(found.line.rho), image.frame().half_diagonal());
    ASSERT_GE(found.line.theta, 0.0);
    ASSERT_LT(found.line.theta, std::numbers::pi);
    ASSERT_GE(found.confidence, 0.0);
    ASSERT_LE(found.confidence, 1.0);
  }
}

void try_pattern(LineRecoverer& recover, GrayImage& image, std::uint32_t pattern) {
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = static_cast<float>((pattern >> i) & 1U);
  expect_line_within_corners_or_none(recover(image), image);
}

TEST(TinyImages, GiveALineOrNoneOnEveryBinaryPattern) {
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    for (const auto& [width, height] :
         {std::pair{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}, {3, 3}, {2, 5}, {5, 2}}) {
      GrayImage image(width, height);
      const std::uint32_t patterns = 1U << (width * height);
      for (std::uint32_t pattern = 0; pattern < patterns; ++pattern)
        try_pattern(recover, image, pattern);
    }
  }
}

TEST(TinyImages, GiveTheNetworkALineOrNone) {
  LineRecoverer recover(load_model("paper"));
  GrayImage image(2, 2);
  for (std::uint32_t pattern = 0; pattern < 16; ++pattern) try_pattern(recover, image, pattern);
}

// The pattern mirrored left to right, or upside down.
std::uint32_t mirrored_4x4(std::uint32_t pattern, std::uint32_t flip) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 16; ++i) result |= ((pattern >> i) & 1U) << (i ^ flip);
  return result;
}

// Votes mirror to the last tie (grid_mirror_test.cpp), so one pattern stands for its mirror images.
TEST(TinyImages, GiveALineOrNoneOnEvery4x4PatternUpToMirrors) {
  constexpr std::uint32_t kLeftRight = 3;
  constexpr std::uint32_t kUpsideDown = 12;
  LineRecoverer recover(load_model("classic"));
  GrayImage image(4, 4);
  for (std::uint32_t pattern = 0; pattern < 1U << 16; ++pattern)
    if (pattern <= mirrored_4x4(pattern, kLeftRight) &&
        pattern <= mirrored_4x4(pattern, kUpsideDown) &&
        pattern <= mirrored_4x4(pattern, kLeftRight | kUpsideDown))
      try_pattern(recover, image, pattern);
}

TEST(TinyImages, GiveALineOrNoneOnManyPatternsUpTo5x5) {
  test::Random random;
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    for (const auto& [width, height] : {std::pair{3, 4}, {4, 3}, {4, 4}, {3, 5}, {5, 4}, {5, 5}}) {
      GrayImage image(width, height);
      for (int repeat = 0; repeat < 400; ++repeat)
        try_pattern(recover, image, static_cast<std::uint32_t>(random.integer(0, 1 << 25)));
    }
  }
}

TEST(TinyImages, HoldNoLineWhenConstant) {
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    for (const auto& [width, height] : {std::pair{2, 2}, {5, 3}, {64, 64}, {257, 129}})
      for (const float value : {0.0F, 0.1F, 1.0F / 3.0F, 1.0F, -2.0F, 1e20F})
        EXPECT_TRUE(recover(GrayImage(width, height, value)).lines.empty()) << value;
  }
}

TEST(BrokenImages, AreRejectedByName) {
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    GrayImage image(20, 10, 0.5F);
    image.at(13, 7) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(throws_error_with({"(13, 7)"}, [&] { recover(image); }));
    image.at(13, 7) = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(throws_error_with({"(13, 7)"}, [&] { recover(image); }));
    image.pixels.pop_back();
    EXPECT_TRUE(throws_error_with({"20x10", "199"}, [&] { recover(image); }));
    // The recoverer still works afterwards.
    EXPECT_EQ(recover(test::image_of({20, 10}, {0.3, 1.0})).lines.size(), 1U);
  }
}

GrayImage ramp(int width, int height) {
  GrayImage image(width, height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<float>(i);
  return image;
}

TEST(ImagesBelow2x2, AreRejectedByEveryModel) {
  test::Random random;
  for (const Model& model :
       {load_model("classic"), load_model("argmax"), test::learned_model(random)}) {
    LineRecoverer recover(model);
    for (const auto& [width, height] : {std::pair{1, 5}, {5, 1}, {1, 1}, {1, 1000}})
      EXPECT_TRUE(throws_error_with({std::to_string(width) + "x" + std::to_string(height)},
                                    [&, w = width, h = height] { recover(ramp(w, h)); }))
          << model.name;
  }
}

TEST(EmptyImages, AreRejectedByEveryModel) {
  test::Random random;
  for (const Model& model :
       {load_model("classic"), load_model("argmax"), test::learned_model(random)}) {
    LineRecoverer recover(model);
    for (const auto& [width, height] : {std::pair{0, 0}, {0, 7}, {7, 0}})
      EXPECT_TRUE(throws_error_with({std::to_string(width) + "x" + std::to_string(height)},
                                    [&, w = width, h = height] { recover(GrayImage(w, h)); }))
          << model.name;
  }
}

TEST(ExtremeValues, GiveALineOrAnError) {
  test::Random random;
  for (const Model& model :
       {load_model("classic"), load_model("argmax"), test::learned_model(random)}) {
    LineRecoverer recover(model);
    for (const float size : {1e-45F, 1e-40F, 1e-38F, 1e30F, 1e36F, 3e38F}) {
      auto image = test::image_of({24, 20}, {0.9, 2.0});
      for (float& pixel : image.pixels) pixel *= size;
      try {
        expect_line_within_corners_or_none(recover(image), image);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()), "");
      }
    }
  }
}

TEST(SmallImages, OfAnyShapeWork) {
  test::Random random;
  for (const std::string model : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(model));
    for (int repeat = 0; repeat < 60; ++repeat) {
      GrayImage image(random.integer(2, 40), random.integer(2, 40));
      image.pixels = random.normals<float>(image.pixels.size());
      expect_line_within_corners_or_none(recover(image), image);
    }
    for (const auto& [width, height] : {std::pair{2, 700}, {700, 2}, {3000, 3}}) {
      GrayImage image(width, height);
      image.pixels = random.uniforms<float>(image.pixels.size());
      expect_line_within_corners_or_none(recover(image), image);
    }
  }
}

}  // namespace
}  // namespace vsmax
