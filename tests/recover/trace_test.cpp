// SPDX-License-Identifier: Apache-2.0
// A trace holds what the stages really worked on.
#include "vsmax/recover/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "support/hough_reference.h"
#include "support/largest_error.h"
#include "support/lines.h"
#include "support/models.h"
#include "support/random.h"
#include "vsmax/evidence/evidence.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

double sum_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void expect_accumulator_of_evidence(const RecoveryTrace& trace) {
  ASSERT_TRUE(trace.grid);
  ASSERT_EQ(trace.accumulator.size(), trace.grid->cells());
  const auto truth = reference::hough_forward(*trace.grid, trace.evidence.pixels.data());
  EXPECT_LT(test::largest_error(trace.accumulator, truth), 1e-3);
  const double mass = sum_of(trace.evidence.pixels);
  for (int t = 0; t < trace.grid->thetas(); ++t) {
    const auto row = trace.accumulator.begin() + t * trace.grid->rhos();
    EXPECT_NEAR(std::accumulate(row, row + trace.grid->rhos(), 0.0), mass, 1e-4 * mass);
  }
}

TEST(Trace, OfASoftReadoutHoldsADistribution) {
  test::Random random;
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.3);
  for (const Model& model : {load_model("classic"), test::learned_model(random, "vsmax-vs"),
                             test::learned_model(random, "softargmax-vs")}) {
    LineRecoverer recover(model);
    RecoveryTrace trace;
    const auto found = recover(image, &trace).lines.at(0);
    EXPECT_EQ(trace.evidence.pixels, image.pixels);
    expect_accumulator_of_evidence(trace);
    ASSERT_EQ(trace.probabilities.size(), trace.grid->cells());
    EXPECT_NEAR(sum_of(trace.probabilities), 1.0, 1e-5) << model.name;
    for (const float p : trace.probabilities) EXPECT_GE(p, 0.0F);
    EXPECT_NEAR(trace.lines.at(0).theta, found.line.theta, 1e-12);
    EXPECT_NEAR(trace.lines.at(0).rho, found.line.rho, 1e-9);
  }
}

TEST(Trace, OfTheClassicModelPeaksAtTheLine) {
  const ImageFrame size{128, 128};
  LineRecoverer recover(load_model("classic"));
  RecoveryTrace trace;
  const PixelLine truth{0.8, 20.0};
  recover(test::image_of(size, truth), &trace);
  const PixelLine cell =
      trace.grid->line(argmax({trace.probabilities.data(), trace.grid->shape()}));
  EXPECT_NEAR(cell.theta, truth.theta, 0.05);
  EXPECT_NEAR(cell.rho, truth.rho, 2.0);
}

TEST(Trace, OfTheArgmaxModelHoldsTheAccumulatorOfItsPeak) {
  LineRecoverer recover(load_model("argmax"));
  RecoveryTrace trace;
  const auto image = test::image_of({40, 30}, {1.0, 3.0}, 0.3);
  recover(image, &trace);
  expect_accumulator_of_evidence(trace);
  const PixelLine cell = trace.grid->line(argmax({trace.accumulator.data(), trace.grid->shape()}));
  EXPECT_EQ(trace.lines.at(0).theta, cell.theta);
  EXPECT_EQ(trace.lines.at(0).rho, cell.rho);
}

TEST(Trace, OfAPlacedImageIsInTheWorkingFrame) {
  LineRecoverer recover(load_model("paper"));
  const auto image = test::image_of({60, 90}, {1.0, 3.0}, 0.3);
  RecoveryTrace trace;
  const auto found = recover(image, &trace).lines.at(0);
  EvidenceStage prepare;
  const Evidence placed = prepare(image, ImageFrame{256, 256});
  EXPECT_TRUE(trace.evidence.frame() == placed.frame);
  EXPECT_EQ(trace.evidence.pixels, std::vector<float>(placed.pixels.begin(), placed.pixels.end()));
  expect_accumulator_of_evidence(trace);
  const PixelLine original = placed.placement.image_from_work(trace.lines.at(0));
  EXPECT_EQ(found.line.theta, original.theta);
  EXPECT_EQ(found.line.rho, original.rho);
}

TEST(Trace, KnowsTheSizeOfItsPixels) {
  const auto reduction = [](const char* model, ImageFrame size) {
    RecoveryTrace trace;
    LineRecoverer(load_model(model))(test::image_of(size, {1.0, 3.0}, 0.3), &trace);
    return trace.reduction;
  };
  EXPECT_EQ(reduction("classic", {300, 40}), 1.0);
  EXPECT_EQ(reduction("paper", {60, 90}), 1.0);  // only placed
  EXPECT_NEAR(reduction("paper", {640, 480}).value(), 2.5, 1e-9);
  EXPECT_FALSE(reduction("paper", {2560, 3}));  // to 256x1
}

TEST(Trace, OfAConstantImageHasNoDistribution) {
  LineRecoverer recover(load_model("classic"));
  RecoveryTrace trace;
  EXPECT_TRUE(recover(GrayImage(30, 20, 0.25F), &trace).lines.empty());
  ASSERT_TRUE(trace.grid);
  EXPECT_EQ(trace.evidence.pixels, GrayImage(30, 20, 0.25F).pixels);
  expect_accumulator_of_evidence(trace);
  EXPECT_EQ(trace.probabilities.size(), trace.grid->cells());
  EXPECT_EQ(sum_of(trace.probabilities), 0.0);
}

}  // namespace
}  // namespace vsmax
