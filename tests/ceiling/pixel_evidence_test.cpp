// SPDX-License-Identifier: Apache-2.0
// The evidence of a pixel against densities integrated by brute force.
#include "vsmax/ceiling/pixel_evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/error_message.h"

namespace vsmax {
namespace {

const std::vector<double> kSigmas{0.08, 0.15, 0.3, 0.6, 0.8, 2.0};

double density(double value, double ink, double sigma) {
  const double z = (value - ink) / sigma;
  return std::exp(-0.5 * z * z) / (sigma * std::sqrt(2.0 * std::numbers::pi));
}

// Simpson's rule.
template <class Function>
double integral(double low, double high, const Function& function) {
  constexpr int kSteps = 40000;
  const double step = (high - low) / kSteps;
  double sum = function(low) + function(high);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 0 ? 2.0 : 4.0) * function(low + i * step);
  return sum * step / 3.0;
}

TEST(PixelEvidence, BetweenBlackAndWhiteIsTheRatioOfTheDensities) {
  for (const double sigma : kSigmas)
    for (const float value : {1e-6F, 0.1F, 0.4F, 0.5F, 0.77F, 0.999F})
      EXPECT_NEAR(PixelEvidence(sigma)(value),
                  std::log(density(value, 1.0, sigma) / density(value, 0.0, sigma)), 1e-9 / sigma);
}

TEST(PixelEvidence, AtBlackAndWhiteIsTheRatioOfTheClippedMasses) {
  for (const double sigma : kSigmas) {
    const double far = 12.0 * sigma;
    const auto under = [&](double ink) {
      return integral(-far, 0.0, [&](double y) { return density(y, ink, sigma); });
    };
    const auto over = [&](double ink) {
      return integral(1.0, 1.0 + far, [&](double y) { return density(y, ink, sigma); });
    };
    EXPECT_NEAR(PixelEvidence(sigma)(0.0F), std::log(under(1.0) / under(0.0)), 1e-9) << sigma;
    EXPECT_NEAR(PixelEvidence(sigma)(1.0F), std::log(over(1.0) / over(0.0)), 1e-9) << sigma;
  }
}

// The background's distribution times the ratio is the line's, which has the mass 1.
TEST(PixelEvidence, TakesTheBackgroundToADistribution) {
  for (const double sigma : {0.3, 0.6, 1.0}) {
    const PixelEvidence evidence(sigma);
    const double black = 0.5;
    const double white = 0.5 * std::erfc(1.0 / (sigma * std::numbers::sqrt2));
    const double between = integral(0.0, 1.0, [&](double y) {
      return density(y, 0.0, sigma) * std::exp((2.0 * y - 1.0) / (2.0 * sigma * sigma));
    });
    EXPECT_NEAR(black * std::exp(evidence(0.0F)) + between + white * std::exp(evidence(1.0F)), 1.0,
                1e-9);
  }
}

TEST(PixelEvidence, IsOddAboutGrey) {
  for (const double sigma : kSigmas)
    for (const float value : {0.0F, 0.125F, 0.25F, 0.5F, 0.75F, 1.0F})
      EXPECT_EQ(PixelEvidence(sigma)(1.0F - value), -PixelEvidence(sigma)(value));
}

TEST(PixelEvidence, TakesNoiseBelowItsLeastAsTheLeast) {
  for (const double sigma : {0.0, 1e-300, 0.01, 0.05})
    for (const float value : {0.0F, 0.3F, 1.0F}) {
      EXPECT_EQ(PixelEvidence(sigma)(value), PixelEvidence(0.05)(value));
      EXPECT_TRUE(std::isfinite(PixelEvidence(sigma)(value)));
    }
}

TEST(PixelEvidence, RefusesImpossibleNoise) {
  for (const double sigma : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_TRUE(test::throws_error_with({"deviation"}, [&] { PixelEvidence{sigma}; }));
}

}  // namespace
}  // namespace vsmax
