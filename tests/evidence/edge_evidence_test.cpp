// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/edge_evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/random.h"
#include "vsmax/base/error.h"

namespace vsmax {
namespace {

GrayImage random_image(test::Random& random, int width, int height) {
  GrayImage image(width, height);
  image.pixels = random.uniforms<float>(image.pixels.size());
  return image;
}

// In double, by its definition.
TEST(EdgeEvidence, IsTheSaturatedGradientOfTheSmoothedImage) {
  test::Random random;
  const GrayImage image = random_image(random, 30, 26);
  const int weights[] = {1, 4, 6, 4, 1};
  const auto smoothed = [&](int x, int y) {
    double sum = 0.0;
    for (int j = -2; j <= 2; ++j)
      for (int i = -2; i <= 2; ++i)
        sum += weights[i + 2] * weights[j + 2] * static_cast<double>(image.at(x + i, y + j));
    return sum / 256.0;
  };
  EdgeEvidence edges;
  const Evidence evidence = edges(image);
  EXPECT_TRUE(evidence.frame == image.frame());
  double sum = 0.0;
  for (int y = 3; y < 23; ++y)
    for (int x = 3; x < 27; ++x)
      sum += std::hypot(smoothed(x + 1, y) - smoothed(x - 1, y),
                        smoothed(x, y + 1) - smoothed(x, y - 1));
  const double mean = sum / (30 * 26);
  for (int y = 3; y < 23; ++y)
    for (int x = 3; x < 27; ++x) {
      const double gx = smoothed(x + 1, y) - smoothed(x - 1, y);
      const double gy = smoothed(x, y + 1) - smoothed(x, y - 1);
      const double scale = 1.0 / (std::hypot(gx, gy) + mean);
      const Gradient found = evidence.gradients[image.frame().index(x, y)];
      EXPECT_NEAR(found.x, gx * scale, 1e-4);
      EXPECT_NEAR(found.y, gy * scale, 1e-4);
      EXPECT_NEAR(evidence.pixels[image.frame().index(x, y)], std::hypot(gx, gy) * scale, 1e-4);
    }
}

TEST(EdgeEvidence, SeesNoEdgeAtTheBorder) {
  test::Random random;
  const GrayImage image = random_image(random, 40, 30);
  EdgeEvidence edges;
  const Evidence evidence = edges(image);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x)
      if (x < 3 || y < 3 || x >= 37 || y >= 27) {
        EXPECT_EQ(evidence.pixels[image.frame().index(x, y)], 0.0F) << x << ", " << y;
      }
}

// Brightness and contrast do not matter.
TEST(EdgeEvidence, DoesNotDependOnContrast) {
  test::Random random;
  const GrayImage image = random_image(random, 40, 30);
  GrayImage faint = image;
  for (float& value : faint.pixels) value = 0.25F * value;
  EdgeEvidence edges;
  const Evidence first = edges(image);
  const std::vector<float> expected(first.pixels.begin(), first.pixels.end());
  const Evidence second = edges(faint);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(second.pixels[i], expected[i], 1e-6);
}

TEST(EdgeEvidence, ReducesLargeImages) {
  EXPECT_TRUE((EdgeEvidence::working_frame({1024, 512}) == ImageFrame{256, 128}));
  EXPECT_TRUE((EdgeEvidence::working_frame({100, 256}) == ImageFrame{100, 256}));
  EXPECT_TRUE((EdgeEvidence::working_frame({4000, 3}) == ImageFrame{256, 2}));
  test::Random random;
  EdgeEvidence edges;
  const Evidence evidence = edges(random_image(random, 400, 100));
  EXPECT_TRUE((evidence.frame == ImageFrame{256, 64}));
  EXPECT_EQ(evidence.gradients.size(), evidence.frame.pixels());
  EXPECT_DOUBLE_EQ(evidence.placement.scale_x, 0.64);
}

TEST(EdgeEvidence, IsNoneWithoutContrast) {
  EdgeEvidence edges;
  for (const ImageFrame size : {ImageFrame{2, 2}, {5, 3}, {40, 30}})
    for (const float strength : edges(GrayImage(size, 0.7F)).pixels) EXPECT_EQ(strength, 0.0F);
}

TEST(EdgeEvidence, RefusesImagesItCannotDifferentiate) {
  EdgeEvidence edges;
  EXPECT_THROW(edges(GrayImage(1, 5)), Error);
  GrayImage image(20, 20);
  image.at(3, 4) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(edges(image), Error);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = i % 2 ? 3e38F : -3e38F;
  EXPECT_THROW(edges(image), Error);
}

}  // namespace
}  // namespace vsmax
