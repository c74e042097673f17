// SPDX-License-Identifier: Apache-2.0
// A recoverer is the composition of its stages, put together here by hand.
#include <gtest/gtest.h>

#include <vector>

#include "support/barycentre.h"
#include "support/lines.h"
#include "support/models.h"
#include "support/random.h"
#include "support/softmax.h"
#include "vsmax/hough/hough.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/line_support.h"
#include "vsmax/recover/prominence.h"
#include "vsmax/recover/trace.h"
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

// Floats again, as the pipeline works in.
std::vector<float> softmax_of(const std::vector<float>& logits) {
  const auto p = reference::softmax(logits, 1.0);
  return {p.begin(), p.end()};
}

// The probability of a line times the score that the distribution lets expect.
void expect_confidence(const RecoveredLine& found, const RecoveryTrace& trace,
                       const GrayImage& image) {
  const HoughGrid& grid = *trace.grid;
  std::vector<float> scores = trace.accumulator;
  Whitening(HoughTransform(grid))
      .apply(image_statistics(image.pixels), {scores.data(), grid.shape()});
  const PixelLine line = trace.lines.at(0);
  const double probability =
      line_probability(
          prominence({scores.data(), grid.shape()}, grid, unit_from_pixel(line, grid.frame()))) *
      support_probability(line_support(image.pixels, grid.frame(), line, grid.bin_width(), 1.0F));
  const double expected = ExpectedScore(grid)({trace.probabilities.data(), grid.shape()}, line);
  EXPECT_LT(expected, 0.999) << "the image must try the law";
  EXPECT_NEAR(found.confidence, probability < 1e-3 ? 0.0 : probability * expected, 1e-5);
}

TEST(Pipeline, OfTheClassicModelReadsHalfTheSquareOfTheWhitenedVotes) {
  const auto image = test::noise_image({40, 30}, 0.4);  // leaves the distribution wide
  const Model model = load_model("classic");
  const HoughTransform hough(grid_for(model.spec, {40, 30}));
  auto expected = accumulate(hough, image);
  Whitening(hough).apply(image_statistics(image.pixels), {expected.data(), hough.grid().shape()});
  for (float& z : expected) z = z > 0.0F ? z * z / 2.0F : 0.0F;
  expected = softmax_of(expected);

  RecoveryTrace trace;
  const auto found = LineRecoverer(model)(image, &trace).lines.at(0);
  expect_near(trace.probabilities, expected);
  const PixelLine line = pixel_from_unit(
      line_from_embedding(reference::barycentre(hough.grid().shape(), expected)).line,
      hough.grid().frame());
  EXPECT_NEAR(found.line.theta, line.theta, 1e-5);
  EXPECT_NEAR(found.line.rho, line.rho, 1e-3);
  expect_confidence(found, trace, image);
}

TEST(Pipeline, OfAVsmaxModelRunsTheNetworkOnTheDoubleCover) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.4);
  const Model model = test::learned_model(random, "vsmax-vs");
  const HoughGrid grid = grid_for(model.spec, image.frame());
  const CellShape both = grid.shape(Cover::kDouble);
  const auto accumulator = accumulate(HoughTransform(grid), image);
  std::vector<float> twice(both.count());
  double_cover({accumulator.data(), grid.shape()}, Cells<float>(twice.data(), both));
  const auto logits = test::reference_net(model.net->layers(), twice, both, 0.25);
  twice = softmax_of({logits.begin(), logits.end()});
  std::vector<float> expected(accumulator.size());
  fold_double_cover({twice.data(), both}, Cells<float>(expected.data(), grid.shape()));

  RecoveryTrace trace;
  const auto found = LineRecoverer(model)(image, &trace).lines.at(0);
  expect_near(trace.probabilities, expected);
  expect_confidence(found, trace, image);
}

TEST(Pipeline, OfASoftArgmaxModelRunsTheNetworkOnTheSingleCover) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.4);
  const Model model = test::learned_model(random, "softargmax-vs");
  const HoughGrid grid = grid_for(model.spec, image.frame());
  const auto accumulator = accumulate(HoughTransform(grid), image);
  const auto logits = test::reference_net(model.net->layers(), accumulator, grid.shape(), 0.25);
  const auto expected = softmax_of({logits.begin(), logits.end()});

  RecoveryTrace trace;
  const auto found = LineRecoverer(model)(image, &trace).lines.at(0);
  expect_near(trace.probabilities, expected);
  const PixelLine line =
      pixel_from_unit(soft_argmax({expected.data(), grid.shape()}), grid.frame());
  EXPECT_NEAR(found.line.theta, line.theta, 1e-4);
  EXPECT_NEAR(found.line.rho, line.rho, 1e-3);
  expect_confidence(found, trace, image);
}

// Half the temperature squares the weights.
TEST(Pipeline, OfALearnedModelReadsOutAtItsFilesTemperature) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.4);
  auto file = test::model_file(random, "softargmax-vs");
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

// Both sheets of the double cover hold the same votes.
TEST(Pipeline, WithoutANetworkIsTheSameOnBothCovers) {
  const auto image = test::image_of({40, 30}, {3.1, 3.0}, 0.4);
  for (const Refinement refinement : {Refinement::kWhitening, Refinement::kNone})
    for (const Readout readout : {Readout::kVeronese, Readout::kSoftArgmax, Readout::kArgmax}) {
      Model model;
      model.spec.refinement = refinement;
      model.spec.readout = readout;
      RecoveryTrace trace;
      const auto once = LineRecoverer(model)(image, &trace).lines.at(0);
      const auto expected = trace.probabilities;
      model.spec.cover = Cover::kDouble;
      const auto twice = LineRecoverer(model)(image, &trace).lines.at(0);
      EXPECT_NEAR(twice.line.theta, once.line.theta, 1e-5);
      EXPECT_NEAR(twice.line.rho, once.line.rho, 1e-4);
      EXPECT_NEAR(twice.confidence, once.confidence, 1e-5);
      if (readout != Readout::kArgmax) expect_near(trace.probabilities, expected);
    }
}

TEST(Pipeline, OfTheArgmaxModelTakesTheFullestCell) {
  const auto image = test::image_of({40, 30}, {1.0, 3.0}, 0.4);
  const HoughTransform hough(grid_for(named_spec("argmax"), {40, 30}));
  const auto accumulator = accumulate(hough, image);
  const Cell peak = argmax({accumulator.data(), hough.grid().shape()});
  const auto found = LineRecoverer(load_model("argmax"))(image).lines.at(0);
  EXPECT_NEAR(found.line.theta, hough.grid().line(peak).theta, 1e-12);
  EXPECT_NEAR(found.line.rho, hough.grid().line(peak).rho, 1e-12);
  std::vector<float> scores = accumulator;
  Whitening(hough).apply(image_statistics(image.pixels), {scores.data(), hough.grid().shape()});
  EXPECT_DOUBLE_EQ(
      found.confidence,
      line_probability(prominence({scores.data(), hough.grid().shape()}, hough.grid(),
                                  hough.grid().shape().line(peak))) *
          support_probability(line_support(image.pixels, image.frame(), hough.grid().line(peak),
                                           hough.grid().bin_width(), 1.0F)));
}

}  // namespace
}  // namespace vsmax
