// SPDX-License-Identifier: Apache-2.0
// What is left of an image whose ground was taken away (Eq. 66).
#include "vsmax/evidence/even_ground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {
namespace {

GrayImage waves(const ImageFrame& frame) {
  GrayImage image(frame);
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column)
      image.at(column, row) =
          static_cast<float>(0.5 + 0.3 * std::sin(column / 30.0) * std::cos(row / 25.0));
  return image;
}

Evidence evidence_of(const GrayImage& image) {
  return {image.frame(), image.pixels, image.pixels, {}, {}};
}

// Eq. 66, pixel by pixel.
double reference(const GrayImage& image, int column, int row) {
  const int reach = std::clamp(std::min(image.width, image.height) / 32, 8, 32);
  const int right = std::min({reach, column, image.width - 1 - column});
  const int down = std::min({reach, row, image.height - 1 - row});
  double sum = 0.0;
  for (int i = row - down; i <= row + down; ++i)
    for (int j = column - right; j <= column + right; ++j) sum += image.at(j, i);
  return image.at(column, row) - sum / ((2 * right + 1) * (2 * down + 1));
}

TEST(EvenGround, IsTheDefinition) {
  test::Random random;
  EvenGround even_ground;
  for (const ImageFrame frame : {ImageFrame{100, 70}, {61, 300}, {640, 400}}) {
    GrayImage image = waves(frame);
    for (float& value : image.pixels) value += static_cast<float>(random.uniform(-0.1, 0.1));
    const auto even = even_ground(evidence_of(image));
    ASSERT_TRUE(even);
    EXPECT_EQ(even->seen.data(), image.pixels.data());
    for (int i = 0; i < 200; ++i) {
      const int column = random.integer(0, frame.width - 1);
      const int row = random.integer(0, frame.height - 1);
      EXPECT_NEAR(even->pixels[frame.index(column, row)], reference(image, column, row), 1e-5);
    }
  }
}

TEST(EvenGround, TakesAwayAGradientUpToTheBorders) {
  GrayImage image(120, 90);
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column)
      image.at(column, row) = static_cast<float>(0.004 * column - 0.003 * row);
  const auto even = EvenGround()(evidence_of(image));
  ASSERT_TRUE(even);
  for (const float value : even->pixels) EXPECT_NEAR(value, 0.0F, 1e-6F);
}

TEST(EvenGround, LeavesEvenGroundAlone) {
  test::Random random;
  GrayImage image(120, 90, 0.5F);
  EXPECT_FALSE(EvenGround()(evidence_of(image)));
  for (float& value : image.pixels) value += static_cast<float>(0.1 * random.normal());
  EXPECT_FALSE(EvenGround()(evidence_of(image)));
}

TEST(EvenGround, ServesImagesOfChangingSize) {
  EvenGround even_ground;
  for (const ImageFrame frame : {ImageFrame{200, 150}, {2, 2}, {3, 90}, {150, 200}}) {
    const GrayImage image = waves(frame);
    const auto even = even_ground(evidence_of(image));
    EXPECT_EQ(even.value_or(evidence_of(image)).pixels.size(), frame.pixels());
  }
}

}  // namespace
}  // namespace vsmax
