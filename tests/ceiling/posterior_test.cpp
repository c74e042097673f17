// SPDX-License-Identifier: Apache-2.0
// The posterior against one computed from all pixels' densities in double, and its estimates
// against a search of everything.
#include "vsmax/ceiling/posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "support/barycentre.h"
#include "support/error_message.h"
#include "support/lines.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

const std::vector<double> kNoiseLevels{0.0, 0.2, 0.6, 1.5};

std::vector<HoughGrid> small_grids() {
  return {{{24, 20}, 11, 13}, {{15, 31}, 8, 9}, {{9, 9}, 1, 5}, {{2, 2}, 4, 3}, {{33, 16}, 12, 51}};
}

// The log density of a pixel after Eq. 29, or of its mass where it was clipped.
double log_likelihood(float value, bool ink, double sigma) {
  const double mean = ink ? 1.0 : 0.0;
  const double root = std::sqrt(2.0) * sigma;
  if (value == 0.0F) return std::log(0.5 * std::erfc(mean / root));
  if (value == 1.0F) return std::log(0.5 * std::erfc((1.0 - mean) / root));
  return -std::pow((value - mean) / root, 2.0) - std::log(root);
}

// The posterior from the density of every pixel, for the lines of a grid.
class BruteForce {
 public:
  explicit BruteForce(const HoughGrid& grid) {
    for (const Cell cell : grid.resolvable_cells())
      drawn_.push_back(test::image_of(grid.frame(), grid.line(cell)).pixels);
  }

  std::vector<double> operator()(const GrayImage& image, double sigma) const {
    std::vector<double> logarithms;
    std::vector<double> likelihoods[2];  // of each pixel without and with ink
    for (const float value : image.pixels)
      for (const bool ink : {false, true})
        likelihoods[ink ? 1 : 0].push_back(log_likelihood(value, ink, std::max(sigma, 0.05)));
    for (const auto& drawn : drawn_) {
      double sum = 0.0;
      for (std::size_t i = 0; i < drawn.size(); ++i) sum += likelihoods[drawn[i] == 1.0F][i];
      logarithms.push_back(sum);
    }
    const double largest = *std::max_element(logarithms.begin(), logarithms.end());
    double mass = 0.0;
    for (const double value : logarithms) mass += std::exp(value - largest);
    for (double& value : logarithms) value -= largest + std::log(mass);
    return logarithms;
  }

 private:
  std::vector<std::vector<float>> drawn_;
};

TEST(LinePosterior, IsThatOfAllPixelsDensities) {
  for (const HoughGrid& grid : small_grids()) {
    const LinePosterior posterior(grid);
    const BruteForce brute_force(grid);
    LinePosterior::Scratch scratch;
    const auto cells = grid.resolvable_cells();
    for (const double sigma : kNoiseLevels)
      for (std::size_t truth = 0; truth < cells.size(); truth += 17) {
        const auto image = test::image_of(grid.frame(), grid.line(cells[truth]), sigma,
                                          static_cast<std::uint32_t>(truth));
        const auto expected = brute_force(image, sigma);
        const auto found = posterior.log_probabilities(image, sigma, scratch);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i], expected[i], 1e-9 * std::max(1.0, std::abs(expected[i])));
      }
  }
}

// At sigma 0 all doubt is between lines that are the same picture.
TEST(LinePosterior, OfACleanImageIsHighestAtItsLine) {
  for (const HoughGrid& grid : small_grids()) {
    const LinePosterior posterior(grid);
    LinePosterior::Scratch scratch;
    for (const Cell cell : grid.resolvable_cells()) {
      const auto image = test::image_of(grid.frame(), grid.line(cell));
      const PixelLine found = posterior(image, 0.0, scratch).maximum;
      ASSERT_EQ(test::image_of(grid.frame(), found).pixels, image.pixels);
    }
  }
}

TEST(LinePosterior, HasTheBarycentreOfItsProbabilities) {
  const HoughGrid grid({24, 20}, 11, 13);
  const LinePosterior posterior(grid);
  const BruteForce brute_force(grid);
  LinePosterior::Scratch scratch;
  for (const double sigma : kNoiseLevels) {
    const auto image = test::image_of(grid.frame(), grid.line({9, 4}), sigma);
    const auto logarithms = brute_force(image, sigma);
    std::vector<double> probabilities(grid.cells());
    for (std::size_t i = 0; i < logarithms.size(); ++i)
      probabilities[grid.shape().index(posterior.cells()[i])] = std::exp(logarithms[i]);
    const PixelLine expected = pixel_from_unit(
        line_from_embedding(reference::barycentre(grid.shape(), probabilities)).line, grid.frame());
    const PixelLine found = posterior(image, sigma, scratch).barycentre;
    EXPECT_NEAR(found.theta, expected.theta, 1e-9);
    EXPECT_NEAR(found.rho, expected.rho, 1e-8);
  }
}

TEST(LinePosterior, FallsShortOfTheHighestExpectationByTheMassLeftOutAtMost) {
  const HoughGrid grid({32, 28}, 25, 35);
  const LinePosterior posterior(grid);
  const BruteForce brute_force(grid);
  LinePosterior::Scratch scratch;
  double most_left_out = 0.0;
  for (const double sigma : {0.2, 0.6, 1.0, 5.0}) {
    const auto image = test::image_of(grid.frame(), grid.line({22, 15}), sigma);
    const auto logarithms = brute_force(image, sigma);
    const auto expectation = [&](PixelLine answer) {
      double sum = 0.0;
      for (std::size_t i = 0; i < logarithms.size(); ++i)
        sum += std::exp(logarithms[i]) *
               ea_score(answer, grid.line(posterior.cells()[i]), grid.frame());
      return sum;
    };
    double highest = 0.0;
    for (const Cell cell : posterior.cells())
      highest = std::max(highest, expectation(grid.line(cell)));
    const auto found = posterior(image, sigma, scratch);
    EXPECT_GE(expectation(found.best_expected), highest - found.mass_left_out - 1e-9) << sigma;
    most_left_out = std::max(most_left_out, found.mass_left_out);
    if (sigma < 1.0) {
      EXPECT_LE(found.mass_left_out, 1.0 - LinePosterior::kMass);
    }
  }
  EXPECT_GT(most_left_out, 1.0 - LinePosterior::kMass) << "the noise must try the limit of cells";
}

TEST(LinePosterior, RejectsAnImageOfAnotherSize) {
  const LinePosterior posterior(HoughGrid({24, 20}, 11, 13));
  LinePosterior::Scratch scratch;
  EXPECT_TRUE(test::throws_error_with({"20x24", "24x20"},
                                      [&] { posterior(GrayImage(20, 24), 0.1, scratch); }));
}

}  // namespace
}  // namespace vsmax
