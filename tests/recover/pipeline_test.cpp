// SPDX-License-Identifier: Apache-2.0
// A recoverer is the composition of its stages, put together here by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/lines.h"
#include "support/models.h"
#include "support/random.h"
#include "support/softmax.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/hough/hough.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/refine/whiten.h"

namespace vsmax {
namespace {

std::vector<float> accumulate(const HoughTransform& hough, const GrayImage& image) {
  std::vector<float> accumulator(hough.grid().cells());
  HoughScratch scratch;
  hough.forward(image.pixels, accumulator, scratch);
  return accumulator;
}

void expect_near(const std::vector<float>& values, const std::vector<float>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6F);
}

// The gap of the barycentre's leading eigenvalues times the mass near the line.
void expect_confidence(const RecoveredLine& found, const RecoveryTrace& trace) {
  const VeroneseSoftArgmax readout(*trace.grid, Cover::kSingle);
  const auto barycentre = readout.barycentre(trace.probabilities.data());
  const double gap = symmetric_eigen<3>(symmetric_from_veronese<3>(barycentre)).gap();
  const double mass = mass_near(*trace.grid, trace.probabilities.data(), trace.line);
  EXPECT_LT(gap, 0.999) << "the image must try the law";
  EXPECT_NEAR(found.confidence, gap * mass, 1e-5);
}

TEST(Pipeline, OfTheClassicModelReadsHalfTheSquareOfTheWhitenedVotes) {
  const auto image = test::noise_image({40, 30}, 0.4);  // leaves the distribution wide
  const Model model = load_model("classic");
  const HoughTransform hough(model.grid_for({40, 30}));
  auto expected = accumulate(hough, image);
  Whitening(hough).apply(image_statistics(image.pixels), expected.data());
  for (float& z : expected) z = z > 0.0F ? z * z / 2.0F : 0.0F;
  softmax(expected.data(), expected.size(), 1.0, expected.data());

  RecoveryTrace trace;
  const auto found = LineRecoverer(model)(image, &trace).lines.at(0);
  expect_near(trace.probabilities, expected);
  const VeroneseSoftArgmax readout(hough.grid(), Cover::kSingle);
  PixelLine line = line_from_vector(
      symmetric_eigen<3>(symmetric_from_veronese<3>(readout.barycentre(expected.data())))
          .leading());
  EXPECT_NEAR(found.line.theta, line.theta, 1e-5);
  EXPECT_NEAR(found.line.rho, line.rho * hough.grid().frame().half_diagonal(), 1e-3);
  expect_confidence(found, trace);
}

TEST(Pipeline, OfAVsmaxModelRunsTheNetworkOnTheDoubleCover) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.4);
  const Model model = test::learned_model(random, "vsmax");
  const auto accumulator = accumulate(HoughTransform(*model.grid), image);
  std::vector<float> twice(2 * accumulator.size());
  double_cover(accumulator.data(), 11, 13, twice.data());
  const auto logits = test::reference_net(model.net->layers(), twice, Cover::kDouble, 22, 13, 0.25);
  twice.assign(logits.begin(), logits.end());
  softmax(twice.data(), twice.size(), 1.0, twice.data());
  std::vector<float> expected(accumulator.size());
  fold_double_cover(twice.data(), 11, 13, expected.data());

  RecoveryTrace trace;
  const auto found = LineRecoverer(model)(image, &trace).lines.at(0);
  expect_near(trace.probabilities, expected);
  expect_confidence(found, trace);
}

TEST(Pipeline, OfASoftArgmaxModelRunsTheNetworkOnTheSingleCover) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.4);
  const Model model = test::learned_model(random, "softargmax");
  const auto accumulator = accumulate(HoughTransform(*model.grid), image);
  const auto logits =
      test::reference_net(model.net->layers(), accumulator, Cover::kSingle, 11, 13, 0.25);
  std::vector<float> expected(logits.begin(), logits.end());
  softmax(expected.data(), expected.size(), 1.0, expected.data());

  RecoveryTrace trace;
  const auto found = LineRecoverer(model)(image, &trace).lines.at(0);
  expect_near(trace.probabilities, expected);
  const auto [theta, rho] = soft_argmax(*model.grid, expected.data());
  EXPECT_NEAR(found.line.theta, theta, 1e-4);
  EXPECT_NEAR(found.line.rho, rho * model.grid->frame().half_diagonal(), 1e-3);
  expect_confidence(found, trace);
}

// Half the temperature squares the weights.
TEST(Pipeline, OfALearnedModelReadsOutAtItsFilesTemperature) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.4);
  auto file = test::model_file(random, "softargmax");
  RecoveryTrace trace;
  LineRecoverer(model_from_safetensors(file, "learned"))(image, &trace);
  auto expected = trace.probabilities;
  double mass = 0.0;
  for (const float p : expected) mass += static_cast<double>(p) * static_cast<double>(p);
  for (float& p : expected) p = static_cast<float>(static_cast<double>(p) * p / mass);
  file.metadata["temperature"] = "0.5";
  LineRecoverer(model_from_safetensors(file, "learned"))(image, &trace);
  expect_near(trace.probabilities, expected);
}

// Both halves of the double cover hold the same votes.
TEST(Pipeline, WithoutANetworkIsTheSameOnBothCovers) {
  const auto image = test::image_of({40, 30}, {3.1, 3.0}, 0.4);
  for (const Refinement refinement : {Refinement::kWhitening, Refinement::kNone})
    for (const Readout readout : {Readout::kVeronese, Readout::kSoftArgmax, Readout::kArgmax}) {
      Model model;
      model.refinement = refinement;
      model.readout = readout;
      RecoveryTrace trace;
      const auto once = LineRecoverer(model)(image, &trace).lines.at(0);
      const auto expected = trace.probabilities;
      model.cover = Cover::kDouble;
      const auto twice = LineRecoverer(model)(image, &trace).lines.at(0);
      EXPECT_NEAR(twice.line.theta, once.line.theta, 1e-5);
      EXPECT_NEAR(twice.line.rho, once.line.rho, 1e-4);
      EXPECT_NEAR(twice.confidence, once.confidence, 1e-5);
      if (readout != Readout::kArgmax) expect_near(trace.probabilities, expected);
    }
}

TEST(Pipeline, OfTheArgmaxModelTakesTheFullestCell) {
  const auto image = test::image_of({40, 30}, {1.0, 3.0}, 0.4);
  const HoughTransform hough(load_model("argmax").grid_for({40, 30}));
  const auto accumulator = accumulate(hough, image);
  const Cell peak = argmax(hough.grid(), accumulator.data());
  const auto found = LineRecoverer(load_model("argmax"))(image).lines.at(0);
  EXPECT_NEAR(found.line.theta, hough.grid().line(peak).theta, 1e-12);
  EXPECT_NEAR(found.line.rho, hough.grid().line(peak).rho, 1e-12);
  EXPECT_EQ(found.confidence, peak_confidence(hough.grid(), accumulator.data(), peak));
}

}  // namespace
}  // namespace vsmax
