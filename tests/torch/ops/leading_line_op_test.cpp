// SPDX-License-Identifier: Apache-2.0
// The eigenvector operator, and (theta, rho) read from it.
#include "support/vectors.h"
#include "torch/ops/gradcheck.h"
#include "vsmax/geometry/embedded_line.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/torch/functions/line_coordinates.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

using LeadingLineOp = OnDevice;

// Too small to bend the derivative of well separated eigenvalues.
constexpr double kTinyGuard = 1e-9;

// Barycentres of a strong line and three weak ones: positive, with a gap of about 1/2.
torch::Tensor barycentres(int64_t count, const torch::TensorOptions& options) {
  auto lines = torch::rand({count, 4, 2}, torch::kDouble) * 2.0 - 1.0;
  lines.select(-1, 0).mul_(3.0);
  const auto weights = torch::tensor({0.7, 0.1, 0.1, 0.1}, torch::kDouble).view({1, 4, 1});
  return (nn::veronese_from_polar(lines) * weights).sum(1).to(options);
}

TEST_P(LeadingLineOp, MatchesTheCoreAndSolvesTheEquation) {
  const auto embedding = barycentres(300, float64());
  const auto line = ops::leading_line(embedding, kTinyGuard).cpu();
  const auto narrow = ops::leading_line(embedding.to(torch::kFloat), kTinyGuard);
  EXPECT_LT(distance(narrow, line), 1e-5);
  const auto rows = embedding.cpu();
  for (int64_t b = 0; b < rows.size(0); ++b) {
    VeroneseVector<3> v{};
    std::copy_n(rows.data_ptr<double>() + b * 6, 6, v.begin());
    const auto u = symmetric_eigen(symmetric_from_veronese<3>(v)).leading();
    for (int64_t i = 0; i < 3; ++i)
      ASSERT_NEAR(line[b][i].item<double>(), u[static_cast<std::size_t>(i)], 1e-12);
  }
}

TEST_P(LeadingLineOp, Derivatives) {
  const TensorFunction line = [](const Tensors& x) { return ops::leading_line(x[0], kTinyGuard); };
  check_jacobian(line, {barycentres(4, float64())});
  check_random_directions(line, {barycentres(64, float64())});
}

TEST_P(LeadingLineOp, DerivativeIsBoundedWhereEigenvaluesMeet) {
  // The uniform distribution: 1/2 twice; then all three equal; then nothing at all.
  const auto embedding = torch::tensor({{0.4, 0.4, 0.2, 0.0, 0.0, 0.0},
                                        {1.0 / 3, 1.0 / 3, 1.0 / 3, 0.0, 0.0, 0.0},
                                        {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                                        {0.4, 0.4, 0.2, 1e-9, 0.0, 0.0}},
                                       torch::kDouble)
                             .to(device())
                             .requires_grad_();
  for (const double guard : {1e-2, 1e-4}) {
    const auto line = ops::leading_line(embedding, guard);
    EXPECT_LT(distance(line.square().sum(-1), torch::ones({4}, torch::kDouble)), 1e-12);
    for (int64_t i = 0; i < 3; ++i) {
      const auto grad = torch::autograd::grad({line.select(-1, i).sum()}, {embedding}, {}, true)[0];
      EXPECT_TRUE(grad.isfinite().all().item<bool>());
      EXPECT_LE(grad.norm(2, -1).max().item<double>(), 2.0 * 0.5 / guard);
    }
  }
}

TEST_P(LeadingLineOp, ShapesAndArguments) {
  const auto embedding = barycentres(6, float64()).view({2, 3, 6});
  const auto line = ops::leading_line(embedding, kTinyGuard);
  ASSERT_EQ(line.sizes(), torch::IntArrayRef({2, 3, 3}));
  const auto turned = embedding.transpose(0, 1);
  EXPECT_TRUE(same_bits(ops::leading_line(turned, kTinyGuard), line.transpose(0, 1)));
  EXPECT_TRUE(same_bits(ops::leading_line(embedding[1][1], kTinyGuard), line[1][1]));
  auto empty = torch::zeros({0, 6}, float32()).requires_grad_();
  ops::leading_line(empty, 1e-3).sum().backward();
  EXPECT_EQ(empty.grad().sizes(), empty.sizes());
  const auto meta = torch::empty({4, 6}, torch::TensorOptions().device(torch::kMeta));
  EXPECT_EQ(ops::leading_line(meta, 1e-3).sizes(), torch::IntArrayRef({4, 3}));
  EXPECT_THROW(ops::leading_line(torch::zeros({4, 5}, float32()), 1e-3), c10::Error);
  EXPECT_THROW(ops::leading_line(torch::zeros({4, 6}, float32()), 0.0), c10::Error);
}

TEST_P(LeadingLineOp, HeadInvertsTheEmbedding) {
  const double pi = M_PI;
  const auto polar = torch::tensor(
      {{0.0, 0.3}, {0.4, -0.9}, {pi / 2, 0.0}, {2.9, 0.7}, {pi - 1e-3, -0.2}}, torch::kDouble);
  const TensorFunction head = [](const Tensors& x) { return nn::polar_from_embedding(x[0], 1e-9); };
  EXPECT_LT(distance(head({nn::veronese_from_polar(polar).to(device())}), polar), 1e-9);
  check_jacobian(head, {nn::veronese_from_polar(polar.narrow(0, 1, 3)).to(device())}, 1e-6);
}

// The row of a tensor as a line of the core.
UnitLine line_of(const torch::Tensor& row) {
  return {row[0].item<double>(), row[1].item<double>()};
}

TEST_P(LeadingLineOp, HeadStaysBelowPi) {
  const double pi = M_PI;
  const auto polar = torch::tensor({{-1e-9, 0.3},
                                    {-1e-9, -0.3},
                                    {pi - 1e-9, 0.3},
                                    {-1e-17, 0.3},
                                    {pi, 0.3},
                                    {0.0, 2.0},
                                    {0.0, -2.0},
                                    {-1e-9, 2.0},
                                    {-1e-9, -2.0}},
                                   torch::kDouble);
  for (const auto& options : {float32(), float64()}) {
    auto embedding = nn::veronese_from_polar(polar).to(options).requires_grad_();
    const auto found = nn::polar_from_embedding(embedding, 1e-4);
    const auto theta = found.detach().select(-1, 0).to(torch::kCPU, torch::kDouble);
    EXPECT_GE(theta.min().item<double>(), 0.0);
    EXPECT_LT(theta.max().item<double>(), pi);
    const auto again = nn::veronese_from_polar(found.detach());
    EXPECT_LT(distance(again, embedding), options.dtype() == torch::kFloat ? 1e-6 : 1e-8);
    const auto pulls = torch::autograd::grad({found.sum()}, {embedding})[0];
    EXPECT_TRUE(pulls.isfinite().all().item<bool>());
    EXPECT_GT(pulls.norm(2, -1).min().item<double>(), 0.1);
  }
}

TEST_P(LeadingLineOp, HeadHasTheDerivativeOfTheLineAtTheSeam) {
  // In float32 both lines are at theta = 0, the first of them by rounding.
  auto embedding =
      nn::veronese_from_polar(torch::tensor({{-1e-9, 0.3}, {0.0, 0.3}}, torch::kDouble))
          .to(float32())
          .requires_grad_();
  const auto found = nn::polar_from_embedding(embedding, 1e-4);
  EXPECT_TRUE(same_bits(found[0], found[1]));
  for (int64_t k = 0; k < 2; ++k) {
    const auto pull = torch::autograd::grad({found.select(-1, k).sum()}, {embedding}, {}, true)[0];
    EXPECT_LT(distance(pull[0], pull[1]), 1e-5);
  }
}

TEST_P(LeadingLineOp, HeadAgreesWithTheCoreAtInfinityWithFiniteDerivatives) {
  for (const auto& options : {float32(), float64()}) {
    auto embedding = torch::tensor({{0.25, 0.25, 0.5, 0.0, 0.0, 0.0},
                                    {0.0, 0.0, 1.0, 0.0, 0.0, 0.0},
                                    {0.4, 0.4, 0.2, 0.0, 0.0, 0.0}},
                                   torch::kDouble)
                         .to(options)
                         .requires_grad_();
    const auto polar = nn::polar_from_embedding(embedding, 1e-2);
    polar.sum().backward();
    EXPECT_TRUE(embedding.grad().isfinite().all().item<bool>());
    for (int64_t b = 0; b < embedding.size(0); ++b) {
      LineEmbedding v{};
      for (std::size_t k = 0; k < v.size(); ++k)
        v[k] = embedding[b][static_cast<int64_t>(k)].item<double>();
      const UnitLine expected = line_from_embedding(v).line;
      EXPECT_EQ(line_of(polar[b]).theta, expected.theta);
      EXPECT_EQ(line_of(polar[b]).rho, expected.rho);
    }
    EXPECT_EQ(line_of(polar[1]).rho, INFINITY);
  }
}

TEST_P(LeadingLineOp, HeadOfWhatIsNotFiniteIsNan) {
  for (const double value : {std::nan(""), HUGE_VAL})
    for (int64_t k = 0; k < 6; ++k) {
      auto embedding = nn::veronese_from_polar(torch::tensor({0.0, 0.0}, torch::kDouble));
      embedding[k].fill_(value);
      const auto polar = nn::polar_from_embedding(embedding.to(device()), 1e-4);
      EXPECT_TRUE(polar.isnan().all().item<bool>()) << k;
    }
}

VSMAX_ON_EACH_DEVICE(LeadingLineOp);

}  // namespace
}  // namespace vsmax::test
