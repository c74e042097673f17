// SPDX-License-Identifier: Apache-2.0
// The heat map's target and readout, above all where they cross the seam.
#include "vsmax/torch/models/rht.h"

#include "torch/ops/on_device.h"

namespace vsmax::test {
namespace {

const CellShape kShape{31, 31};

torch::Tensor target_of(Cell cell, double width, torch::Device device = torch::kCPU) {
  const auto truth = torch::tensor({{kShape.theta(cell.t), kShape.rho(cell.r)}}, torch::kFloat);
  return rht_target(kShape, truth.to(device), width)[0].cpu();
}

void expect_line(const torch::Tensor& heat, double theta, double rho, double tolerance) {
  const auto values = heat.to(torch::kFloat).contiguous();
  const auto line = rht_readout({values.data_ptr<float>(), kShape});
  ASSERT_TRUE(line.has_value());
  const double apart = projective_sine(vector_from_line(*line), vector_from_line({theta, rho}));
  EXPECT_LT(apart, tolerance) << line->theta << " " << line->rho;
  EXPECT_GE(line->theta, 0.0);
  EXPECT_LT(line->theta, M_PI);
}

TEST(RhtTarget, IsAGaussianThatWrapsWithTheFlip) {
  for (const auto& device : {torch::Device("cpu"), torch::Device("cuda")}) {
    if (device.is_cuda() && !has_cuda()) continue;
    const auto target = target_of({1, 4}, 2.0, device);
    for (int t = 0; t < 31; ++t)
      for (int r = 0; r < 31; ++r) {
        const double direct = (t - 1.0) * (t - 1.0) + (r - 4.0) * (r - 4.0);
        const double across = (t - 32.0) * (t - 32.0) + (r - 26.0) * (r - 26.0);
        ASSERT_NEAR(target[t][r].item<double>(), std::exp(-std::min(direct, across) / 8.0), 1e-6);
      }
    // An angle that rounds to pi is the first angle with rho reversed.
    const auto nearly_pi = torch::tensor({{3.14, kShape.rho(4)}}, torch::kFloat).to(device);
    EXPECT_LT(distance(rht_target(kShape, nearly_pi, 2.0)[0], target_of({0, 26}, 2.0)), 1e-6);
  }
}

// On the paper's grid, by squared error: what suites/choices.report.md says about E5.
TEST(RhtTarget, AHeatMapOfZerosIsAllButPerfectForANarrowTarget) {
  const CellShape paper{127, 127};
  const auto truth = torch::tensor({{paper.theta(40), paper.rho(60)}}, torch::kFloat);
  const auto error = [&](double width) {
    return rht_target(paper, truth, width).square().mean().item<double>();
  };
  EXPECT_NEAR(error(0.5), 6.7e-5, 0.05e-5);
  EXPECT_NEAR(error(3.0), 1.8e-3, 0.05e-3);
}

TEST(RhtTarget, BlurredIsFiveByFiveAndEndsAtTheSeam) {
  for (const Cell cell : {Cell{1, 4}, Cell{12, 20}}) {
    const auto truth = torch::tensor({{kShape.theta(cell.t), kShape.rho(cell.r)}}, torch::kFloat);
    const auto target = blurred_rht_target(kShape, truth, 1.1)[0];
    for (int t = 0; t < 31; ++t)
      for (int r = 0; r < 31; ++r) {
        const int dt = std::abs(t - cell.t);
        const int dr = std::abs(r - cell.r);
        const double expected =
            dt > 2 || dr > 2 ? 0.0 : std::exp(-(dt * dt + dr * dr) / (2.0 * 1.1 * 1.1));
        ASSERT_NEAR(target[t][r].item<double>(), expected, 1e-6);
      }
  }
}

std::optional<UnitLine> first_line(const torch::Tensor& heat) {
  return first_rht_readout({heat.data_ptr<float>(), kShape});
}

TEST(RhtReadout, TheFirstComponentEndsAtTheSeamAndAtCorners) {
  auto heat = torch::zeros({31, 31});
  EXPECT_FALSE(first_line(heat).has_value());
  heat[30][10] = 0.9;  // beyond the seam, a neighbour of the next
  heat[0][20] = 0.02;
  heat[0][21] = 0.5;
  heat[1][22] = 0.9;  // at a corner
  const auto line = first_line(heat);
  ASSERT_TRUE(line.has_value());
  EXPECT_NEAR(line->theta, kShape.theta(0), 1e-12);
  EXPECT_NEAR(line->rho, 0.5 * (kShape.rho(20) + kShape.rho(21)), 1e-12);  // not weighted
  heat[0][21] = 0.0;
  heat[0][20] = 0.0;
  EXPECT_NEAR(first_line(heat)->theta, kShape.theta(1), 1e-12);
}

TEST(RhtReadout, FindsTheTargetAnywhere) {
  for (const int t : {0, 1, 2, 8, 15, 28, 29, 30})
    for (const int r : {3, 12, 15, 27})
      for (const double width : {0.5, 1.1, 2.0}) {
        SCOPED_TRACE(::testing::Message() << t << " " << r << " " << width);
        // Symmetric about its cell wherever the border of rho does not cut it.
        if (r - 4 * width < 0 || r + 4 * width > 30) continue;
        expect_line(target_of({t, r}, width), kShape.theta(t), kShape.rho(r), 1e-5);
      }
}

TEST(RhtReadout, MassOnBothSidesOfTheSeamIsOneLine) {
  auto heat = torch::zeros({31, 31});
  heat[0][20] = 0.5;
  heat[30][10] = 0.5;  // the neighbour before: theta - bin, rho reversed
  expect_line(heat, kShape.theta(30) + 0.5 * M_PI / 31, kShape.rho(10), 1e-6);
  heat[30][9] = 0.25;  // a diagonal neighbour across the seam, 8-connected
  heat[30][10] = 0.25;
  heat[0][20] = 0.5;
  expect_line(heat, kShape.theta(30) + 0.5 * M_PI / 31, kShape.rho(9) + 0.75 / 15, 1e-6);
}

TEST(RhtReadout, TakesTheLargestSumNotTheHighestPeak) {
  auto heat = torch::zeros({31, 31});
  heat[5][5] = 0.9;
  for (int r = 18; r <= 22; ++r) heat[20][r] = 0.3;
  expect_line(heat, kShape.theta(20), kShape.rho(20), 1e-6);
}

TEST(RhtReadout, NothingAboveTheThresholdIsNoLine) {
  const auto heat = torch::full({31, 31}, 0.01F);
  EXPECT_FALSE(rht_readout({heat.data_ptr<float>(), kShape}).has_value());
  auto spot = heat.clone();
  spot[7][9] = 0.02;
  expect_line(spot, kShape.theta(7), kShape.rho(9), 1e-6);
  // Everything above it is one component all around; the search must end and give a line.
  const auto full = torch::full({31, 31}, 0.5F);
  EXPECT_TRUE(rht_readout({full.data_ptr<float>(), kShape}).has_value());
}

}  // namespace
}  // namespace vsmax::test
