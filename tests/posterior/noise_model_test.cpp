// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/noise_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/lines.h"
#include "support/random.h"
#include "vsmax/ceiling/pixel_evidence.h"

namespace vsmax {
namespace {

std::vector<float> clipped_noise(double mean, double sigma, std::size_t count, double low = 0.0,
                                 double high = 1.0) {
  test::Random random;
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(std::clamp(mean + sigma * random.normal(), low, high));
  return values;
}

// The exact posterior of the ceiling knows the noise; its evidence of a pixel is the same.
TEST(NoiseModel, AgreesWithTheKnownNoiseOfTheCeiling) {
  for (const double sigma : {0.05, 0.3, 0.6, 1.2}) {
    const PixelEvidence known(sigma);
    NoiseModel noise;
    noise.sigma = sigma;
    for (const float value : {0.0F, 0.1F, 0.5F, 0.93F, 1.0F})
      EXPECT_NEAR(noise.log_ratio(static_cast<double>(value)), known(value),
                  1e-9 * std::abs(known(value)) + 1e-12);
  }
}

TEST(NoiseModel, EstimatesTheNoiseAroundALine) {
  const ImageFrame frame{256, 256};
  for (const double sigma : {0.1, 0.3, 0.6, 0.8}) {
    const GrayImage image = test::image_of(frame, {0.7, 20.0}, sigma);
    const NoiseModel noise = estimate_noise(image.pixels);
    EXPECT_EQ(noise.background, 0.0);
    EXPECT_TRUE(noise.clipped_low);
    EXPECT_TRUE(noise.clipped_high);
    EXPECT_NEAR(noise.sigma, sigma, 0.03 * sigma);
  }
}

TEST(NoiseModel, EstimatesABackgroundThatIsNotBlack) {
  for (const double mean : {0.25, 0.5, 0.8}) {
    const NoiseModel noise = estimate_noise(clipped_noise(mean, 0.2, 60000));
    EXPECT_NEAR(noise.background, mean, 0.02);
    EXPECT_NEAR(noise.sigma, 0.2, 0.02);
  }
}

TEST(NoiseModel, TakesTwoValuesForNoNoise) {
  const GrayImage image = test::image_of({64, 64}, {0.7, 5.0});
  const NoiseModel noise = estimate_noise(image.pixels);
  EXPECT_EQ(noise.background, 0.0);
  EXPECT_EQ(noise.level, 1.0);
  EXPECT_NEAR(noise.sigma, 0.05, 1e-12);
}

TEST(NoiseModel, KnowsTheRatioOfPixelsOnTheLine) {
  NoiseModel noise;
  noise.sigma = 0.6;
  double sum = 0.0;
  double square = 0.0;
  const std::vector<float> values = clipped_noise(1.0, 0.6, 200000);
  for (const float value : values) {
    const double ratio = noise.log_ratio(static_cast<double>(value));
    sum += ratio;
    square += ratio * ratio;
  }
  const auto count = static_cast<double>(values.size());
  const RatioOnLine expected = noise.ratio_on_line();
  EXPECT_NEAR(expected.mean, sum / count, 0.01);
  EXPECT_NEAR(expected.deviation, std::sqrt(square / count - sum * sum / (count * count)), 0.01);
}

TEST(NoiseModel, FitsTheLevelOfALine) {
  NoiseModel noise;
  noise.sigma = 0.2;
  noise.clipped_high = false;
  EXPECT_NEAR(fit_level(noise, clipped_noise(0.5, 0.2, 400, -9.0, 9.0), 1.0), 0.5, 0.04);
  noise.clipped_high = true;  // white explains these nearly as well
  EXPECT_EQ(fit_level(noise, clipped_noise(0.97, 0.2, 40), 1.0), 1.0);
}

TEST(WithGaps, LiesBetweenNothingAndTheWholeLine) {
  for (const double share : {0.25, 0.5, 0.9}) {
    EXPECT_NEAR(with_gaps(0.0, share), 0.0, 1e-12);
    EXPECT_NEAR(with_gaps(100.0, share), 100.0 + std::log(share), 1e-12);
    EXPECT_NEAR(with_gaps(-100.0, share), std::log1p(-share), 1e-12);
  }
  EXPECT_EQ(with_gaps(-3.7, 1.0), -3.7);
}

}  // namespace
}  // namespace vsmax
