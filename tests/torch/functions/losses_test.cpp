// SPDX-License-Identifier: Apache-2.0
// The losses against the geometry that they are named after.
#include "vsmax/torch/functions/losses.h"

#include <cmath>
#include <numbers>

#include "torch/ops/gradcheck.h"
#include "vsmax/geometry/embedded_line.h"
#include "vsmax/torch/functions/line_coordinates.h"

namespace vsmax::test {
namespace {

using Losses = OnDevice;

TEST_P(Losses, EmbeddingMatchesTheCore) {
  const UnitLine line{2.3, -0.6};
  const auto v = embedding_from_line(line);
  const auto ours =
      nn::veronese_from_polar(torch::tensor({line.theta, line.rho}, torch::kDouble).to(device()));
  EXPECT_LT(distance(ours, torch::tensor(std::vector<double>(v.begin(), v.end()), torch::kDouble)),
            1e-15);
}

TEST_P(Losses, LikelihoodIsThatOfTheCellsNearTheTruth) {
  const CellShape shape{9, 7, Cover::kDouble};
  const auto options = torch::TensorOptions().dtype(torch::kDouble).device(device());
  const auto embeddings = nn::cell_embeddings(shape, options);
  torch::manual_seed(2);
  const auto logits = torch::randn({2, 18, 7}, torch::kDouble).to(device());
  const auto truth = torch::tensor({{0.1, 0.4}, {3.0, -0.2}}, torch::kDouble).to(device());
  const auto losses = nn::likelihood_losses(logits, embeddings, truth, 0.3).cpu();
  const auto weights = torch::softmax(logits.flatten(1), 1).cpu();
  for (int64_t b = 0; b < 2; ++b) {
    const auto line =
        vector_from_line(UnitLine{truth[b][0].item<double>(), truth[b][1].item<double>()});
    double near = 0.0;
    for (std::size_t i = 0; i < shape.count(); ++i) {
      const Cell cell = shape.cell(i);
      const UnitLine other{std::numbers::pi * cell.t / shape.thetas, shape.rho(cell.r)};
      const double distance = squared_chordal_distance(line, vector_from_line(other));
      near += weights[b][static_cast<int64_t>(i)].item<double>() *
              std::exp(-0.5 * distance / (2.0 * 0.3 * 0.3));
    }
    EXPECT_NEAR(losses[b].item<double>(), -std::log(near), 1e-9);
  }
  check_jacobian(
      [&](const Tensors& x) { return nn::likelihood_losses(x[0], embeddings, truth, 0.3); },
      {logits});
}

TEST_P(Losses, VeroneseLossIsTheSquaredChordalDistance) {
  const UnitLine a{0.4, 0.3};
  const UnitLine b{2.8, -0.9};
  const auto one = torch::tensor({{a.theta, a.rho}}, torch::kDouble).to(device());
  const auto other = torch::tensor({{b.theta, b.rho}}, torch::kDouble).to(device());
  EXPECT_NEAR(nn::veronese_loss(nn::veronese_from_polar(one), other).item<double>(),
              squared_chordal_distance(vector_from_line(a), vector_from_line(b)), 1e-14);
}

TEST_P(Losses, AreMeansOverTheBatchOfSums) {
  const auto truth = torch::tensor({{0.1, 0.2}, {3.0, -0.5}}, torch::kDouble).to(device());
  const auto polar = torch::tensor({{0.1, 0.5}, {0.1, -0.5}}, torch::kDouble).to(device());
  EXPECT_NEAR(nn::polar_loss(polar, truth).item<double>(), 0.5 * (0.09 + 2.9 * 2.9), 1e-12);
  // Across the seam the embedding sees neighbours where the polar loss sees the far end.
  const auto left = torch::tensor({{0.01, 0.3}}, torch::kDouble).to(device());
  const auto right = torch::tensor({{M_PI - 0.01, -0.3}}, torch::kDouble).to(device());
  EXPECT_LT(nn::veronese_loss(nn::veronese_from_polar(left), right).item<double>(), 1e-3);
  EXPECT_GT(nn::polar_loss(left, right).item<double>(), 9.0);
}

TEST_P(Losses, Derivatives) {
  const auto truth = torch::tensor({{0.1, 0.2}, {3.0, -0.5}}, torch::kDouble).to(device());
  check_jacobian([&](const Tensors& x) { return nn::polar_loss(x[0], truth); },
                 {random_on(float64(), {2, 2})});
  check_jacobian([&](const Tensors& x) { return nn::veronese_loss(x[0], truth); },
                 {random_on(float64(), {2, 6})});
  check_jacobian(
      [&](const Tensors& x) { return nn::veronese_loss(nn::veronese_from_polar(x[0]), truth); },
      {random_on(float64(), {2, 2})});
  EXPECT_THROW(nn::polar_loss(truth[0], truth), c10::Error);
  EXPECT_THROW(nn::veronese_loss(truth, truth), c10::Error);
}

TEST_P(Losses, LinesAcrossTheSeamCountButDoNotPull) {
  const auto truth = torch::tensor({{0.1, 0.2}, {3.0, -0.5}}, torch::kDouble).to(device());
  auto polar = torch::tensor({{3.1, -0.2}, {2.9, -0.4}}, torch::kDouble).to(device());
  polar.requires_grad_();
  const auto loss = nn::polar_loss(nn::hold_across_seam(polar, truth), truth);
  EXPECT_NEAR(loss.item<double>(), nn::polar_loss(polar, truth).item<double>(), 1e-15);
  loss.backward();
  EXPECT_LT(distance(polar.grad(), torch::tensor({{0.0, 0.0}, {-0.1, 0.1}}, torch::kDouble)),
            1e-12);
}

VSMAX_ON_EACH_DEVICE(Losses);

}  // namespace
}  // namespace vsmax::test
