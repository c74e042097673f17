// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/area_average.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/random.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {
namespace {

GrayImage random_image(int width, int height, test::Random& random) {
  GrayImage image(width, height);
  image.pixels = random.uniforms<float>(image.pixels.size());
  return image;
}

GrayImage area_average(const GrayImage& image, int width, int height) {
  GrayImage result(width, height);
  AreaAverage average;
  average(image.pixels, image.frame(), result.frame(), result.pixels);
  return result;
}

double mean_of(const GrayImage& image) {
  return std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0) /
         static_cast<double>(image.pixels.size());
}

// Cuts every pixel into width x height equal parts, so that each cell of the result holds whole
// parts, and averages those.
GrayImage oversampled_average(const GrayImage& image, int width, int height) {
  GrayImage result(width, height);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      double sum = 0.0;
      for (int j = row * image.height; j < (row + 1) * image.height; ++j)
        for (int i = column * image.width; i < (column + 1) * image.width; ++i)
          sum += static_cast<double>(image.at(i / width, j / height));
      result.at(column, row) = static_cast<float>(sum / image.width / image.height);
    }
  return result;
}

TEST(AreaAverage, IsTheMeanOverEachRectangle) {
  test::Random random;
  for (const auto& [from_w, from_h, to_w, to_h] : {std::array{7, 5, 3, 2},
                                                   {10, 10, 7, 3},
                                                   {31, 17, 8, 17},
                                                   {17, 31, 17, 5},
                                                   {9, 9, 9, 9},
                                                   {13, 2, 1, 1},
                                                   {64, 48, 27, 20},
                                                   {100, 3, 33, 1}}) {
    const auto image = random_image(from_w, from_h, random);
    const auto result = area_average(image, to_w, to_h);
    const auto expected = oversampled_average(image, to_w, to_h);
    ASSERT_EQ(result.width, to_w);
    ASSERT_EQ(result.height, to_h);
    ASSERT_EQ(result.pixels.size(), expected.pixels.size());
    for (std::size_t i = 0; i < expected.pixels.size(); ++i)
      EXPECT_NEAR(result.pixels[i], expected.pixels[i], 2e-7F) << from_w << "x" << from_h;
  }
}

TEST(AreaAverage, IsExactForWholeFactors) {
  test::Random random;
  GrayImage image(24, 18);
  image.pixels = random.integers<float>(image.pixels.size(), 0, 255);
  const auto result = area_average(image, 12, 9);
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 12; ++column)
      EXPECT_EQ(result.at(column, row),
                (image.at(2 * column, 2 * row) + image.at(2 * column + 1, 2 * row) +
                 image.at(2 * column, 2 * row + 1) + image.at(2 * column + 1, 2 * row + 1)) /
                    4.0F);
}

TEST(AreaAverage, OfTheSameSizeIsTheImage) {
  test::Random random;
  const auto image = random_image(19, 23, random);
  EXPECT_EQ(area_average(image, 19, 23).pixels, image.pixels);
}

TEST(AreaAverage, KeepsTheMean) {
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto image = random_image(random.integer(2, 90), random.integer(2, 90), random);
    const auto result =
        area_average(image, random.integer(1, image.width), random.integer(1, image.height));
    EXPECT_NEAR(mean_of(result), mean_of(image), 1e-7);
  }
}

TEST(AreaAverage, KeepsAConstant) {
  for (const float value : {0.1F, 1.0F / 3.0F, 1.0F, 0.7F})
    for (const auto& [width, height] : {std::pair{7, 3}, {33, 21}, {41, 29}, {1, 1}})
      for (const float pixel : area_average(GrayImage(100, 60, value), width, height).pixels)
        EXPECT_EQ(pixel, value) << width << "x" << height;
}

TEST(AreaAverage, KeepsTheCentreOfMass) {
  GrayImage image(90, 50);
  image.at(70, 10) = 1.0F;
  const auto result = area_average(image, 37, 19);
  double x = 0.0;
  double y = 0.0;
  double mass = 0.0;
  for (int row = 0; row < 19; ++row)
    for (int column = 0; column < 37; ++column) {
      const auto value = static_cast<double>(result.at(column, row));
      x += value * (column + 0.5) / 37.0;
      y += value * (row + 0.5) / 19.0;
      mass += value;
    }
  EXPECT_NEAR(x / mass, 70.5 / 90.0, 0.5 / 37.0);
  EXPECT_NEAR(y / mass, 10.5 / 50.0, 0.5 / 19.0);
}

TEST(AreaAverage, OfAViewIsThatOfItsChannel) {
  test::Random random;
  const auto bytes = random.integers<std::uint8_t>(3 * 50 * 31, 0, 255);
  const ImageView view = ImageView::rgb(bytes.data() + 30 * 150, 50, 31, -150);  // upside down
  AreaAverage average;
  for (std::size_t c = 0; c < 3; ++c) {
    GrayImage channel(50, 31);
    view.copy_channel_to(c, channel.pixels.data());
    std::vector<float> result;
    average(view, c, {13, 9}, result);
    EXPECT_EQ(result, area_average(channel, 13, 9).pixels);
  }
}

TEST(AreaAverage, CarriesNothingFromOneCallToTheNext) {
  test::Random random;
  AreaAverage shared;
  std::vector<float> result(7, 99.0F);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto image = random_image(random.integer(2, 60), random.integer(2, 60), random);
    const ImageFrame target{random.integer(1, image.width), random.integer(1, image.height)};
    shared(image.pixels, image.frame(), target, result);
    EXPECT_EQ(result, area_average(image, target.width, target.height).pixels);
  }
}

}  // namespace
}  // namespace vsmax
