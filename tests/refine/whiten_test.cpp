// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/whiten.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/hough_images.h"
#include "support/random.h"

namespace vsmax {
namespace {

struct CellMoments {
  std::vector<double> mean, variance;
};

// Sample moments of the whitened cells over `images` images that `draw` fills.
template <class Draw>
CellMoments moments(const HoughTransform& hough, int images, const Draw& draw) {
  const std::size_t cells = hough.grid().cells();
  const Whitening whitening(hough);
  std::vector<double> sum(cells), squares(cells);
  HoughScratch scratch;
  std::vector<float> accumulator(cells);
  for (int i = 0; i < images; ++i) {
    const std::vector<float> image = draw();
    hough.forward(image, accumulator, scratch);
    whitening.apply(image_statistics(image), {accumulator.data(), hough.grid().shape()});
    for (std::size_t k = 0; k < cells; ++k) {
      sum[k] += accumulator[k];
      squares[k] += static_cast<double>(accumulator[k]) * accumulator[k];
    }
  }
  CellMoments result{sum, squares};
  for (std::size_t k = 0; k < cells; ++k) {
    result.mean[k] = sum[k] / images;
    result.variance[k] = squares[k] / images - result.mean[k] * result.mean[k];
  }
  return result;
}

template <class Draw>
void expect_white(const HoughGrid& grid, const Draw& draw) {
  constexpr int kImages = 1500;
  const HoughTransform hough(grid);
  const auto counts = hough.pixel_counts();
  const auto cells = moments(hough, kImages, draw);
  const auto pixels = static_cast<double>(grid.frame().pixels());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < Whitening::kLeastPixels) {
      EXPECT_EQ(cells.mean[k], 0.0);
      EXPECT_EQ(cells.variance[k], 0.0);
      continue;
    }
    // The mean that is subtracted holds the cell's own n of N pixels: variance 1 - n/N. Five
    // deviations of the sample moments, and for the variance room for heavier tails.
    const double variance = 1.0 - counts[k] / pixels;
    EXPECT_NEAR(cells.mean[k], 0.0, 5.0 / std::sqrt(kImages)) << "cell " << k;
    EXPECT_NEAR(cells.variance[k], variance, 6.0 * std::sqrt(2.0 / kImages)) << "cell " << k;
  }
}

TEST(Whitening, GivesEveryCellMeanZeroAndVarianceOneOnGaussianNoise) {
  test::Random random;
  const HoughGrid grid({40, 28}, 16, 33);
  expect_white(grid, [&] { return random.normals<float>(grid.frame().pixels(), 0.4, 0.2); });
}

TEST(Whitening, GivesEveryCellMeanZeroAndVarianceOneOnUniformNoise) {
  test::Random random;
  const HoughGrid grid({24, 36}, 15, 41);
  expect_white(grid, [&] { return random.uniforms<float>(grid.frame().pixels(), 5.0, 6.0); });
}

TEST(Whitening, IsTheFormula) {
  test::Random random;
  const HoughGrid grid({48, 32}, 12, 31);
  const HoughTransform hough(grid);
  const auto counts = hough.pixel_counts();
  const auto image = random.uniforms<float>(grid.frame().pixels());
  const auto statistics = image_statistics(image);
  std::vector<float> plain(grid.cells());
  HoughScratch scratch;
  hough.forward(image, plain, scratch);
  auto white = plain;
  Whitening(hough).apply(statistics, {white.data(), grid.shape()});
  int empty = 0;
  for (std::size_t k = 0; k < plain.size(); ++k) {
    const double n = counts[k];
    const double z = n < 8.0 ? 0.0
                             : (static_cast<double>(plain[k]) - statistics.mean * n) /
                                   (statistics.deviation * std::sqrt(n));
    EXPECT_NEAR(white[k], z, 1e-4);
    empty += n < 8.0 ? 1 : 0;
  }
  EXPECT_GT(empty, 0) << "the grid must have cells without evidence";
}

TEST(Whitening, IgnoresBrightnessAndContrast) {
  test::Random random;
  const HoughGrid grid({48, 32}, 12, 31);
  const HoughTransform hough(grid);
  const Whitening whitening(hough);
  const auto image = random.uniforms<float>(grid.frame().pixels());
  auto brighter = image;
  for (float& pixel : brighter) pixel = 3.0F * pixel + 2.0F;
  HoughScratch scratch;
  std::vector<float> a(grid.cells()), b(grid.cells());
  hough.forward(image, a, scratch);
  hough.forward(brighter, b, scratch);
  whitening.apply(image_statistics(image), {a.data(), grid.shape()});
  whitening.apply(image_statistics(brighter), {b.data(), grid.shape()});
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-3);
}

TEST(StandardScore, IsTheDistanceFromTheMeanInDeviations) {
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const double n = random.integer(8, 400);
    const double mean = random.uniform(-3.0, 3.0);
    const double deviation = random.uniform(0.01, 5.0);
    const double z = random.normal();
    const double votes = mean * n + z * deviation * std::sqrt(n);
    EXPECT_NEAR(standard_score(votes, n, 1.0 / std::sqrt(n), mean, 1.0 / deviation), z, 1e-9);
  }
}

// Half the square of the excess, and nothing for cells below the mean.
TEST(LogLikelihoodRatio, IsHalfTheSquareOfThePositivePart) {
  test::Random random;
  for (const float z : random.normals<float>(200, 0.0, 10.0))
    EXPECT_EQ(log_likelihood_ratio(z), z > 0.0F ? 0.5F * z * z : 0.0F);
  EXPECT_EQ(log_likelihood_ratio(0.0F), 0.0F);
}

TEST(ImageStatistics, OfAConstantImageHaveNoDeviation) {
  for (const float value : {0.1F, 0.0F, 1.0F, 1.0F / 3.0F, 1e-30F, 3e7F, -0.7F}) {
    const std::vector<float> image(257 * 129, value);
    const auto statistics = image_statistics(image);
    EXPECT_EQ(statistics.deviation, 0.0) << value;
    EXPECT_NEAR(statistics.mean, value, 1e-12 * std::abs(value));
  }
}

TEST(ImageStatistics, SeeASinglePixelThatDiffers) {
  std::vector<float> image(257 * 129, 0.1F);
  image[4711] = std::nextafter(0.1F, 1.0F);
  const auto statistics = image_statistics(image);
  const double step = static_cast<double>(image[4711]) - static_cast<double>(0.1F);
  EXPECT_NEAR(statistics.deviation / (step / std::sqrt(257.0 * 129.0)), 1.0, 1e-3);
}

TEST(ImageStatistics, AreThoseOfThePopulationUnderALargeOffset) {
  test::Random random;
  const auto image = random.normals<float>(10000, 5000.0, 1.0);
  long double mean = 0.0L;
  for (const float pixel : image) mean += pixel;
  mean /= 10000.0L;
  long double variance = 0.0L;
  for (const float pixel : image) variance += (pixel - mean) * (pixel - mean);
  const auto statistics = image_statistics(image);
  EXPECT_NEAR(statistics.mean, static_cast<double>(mean), 1e-9);
  EXPECT_NEAR(statistics.deviation, static_cast<double>(std::sqrt(variance / 10000.0L)), 1e-9);
}

}  // namespace
}  // namespace vsmax
