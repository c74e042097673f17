// SPDX-License-Identifier: Apache-2.0
// The readout operator against its definition.
#include <span>
#include <vector>

#include "support/barycentre.h"
#include "support/softmax.h"
#include "torch/ops/gradcheck.h"
#include "vsmax/torch/functions/line_coordinates.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

using VeroneseReadoutOp = OnDevice;

// Softmax and barycentre by their definitions, for logits [rows, R].
torch::Tensor barycentre_of(const torch::Tensor& logits, Cover cover, double temperature) {
  const auto values = logits.to(torch::kCPU, torch::kDouble).contiguous();
  const int thetas = static_cast<int>(values.size(0)) / (cover == Cover::kDouble ? 2 : 1);
  const CellShape shape{thetas, static_cast<int>(values.size(1)), cover};
  const std::span<const double> cells(values.data_ptr<double>(), shape.count());
  const LineEmbedding mean = reference::barycentre(shape, reference::softmax(cells, temperature));
  return torch::tensor(std::vector<double>(mean.begin(), mean.end()), torch::kDouble);
}

TEST_P(VeroneseReadoutOp, MatchesItsDefinition) {
  for (const bool twice : {false, true}) {
    const Cover cover = twice ? Cover::kDouble : Cover::kSingle;
    const auto logits = 5.0 * random_on(float64(), {3, twice ? 254 : 127, 127});
    const auto wide = ops::veronese_readout(logits, twice, 0.7);
    const auto narrow = ops::veronese_readout(logits.to(torch::kFloat), twice, 0.7);
    for (int64_t b = 0; b < 3; ++b) {
      const auto truth = barycentre_of(logits[b], cover, 0.7);
      EXPECT_LT(distance(wide[b], truth), 1e-12);
      EXPECT_LT(distance(narrow[b], truth), 2e-6);
    }
  }
}

TEST_P(VeroneseReadoutOp, OnePeakIsItsLine) {
  auto logits = torch::full({1, 20, 9}, -100.0, float64());
  logits[0][13][6] = 100.0;  // theta + pi of angle 3, rho = 1/2: the line (3 pi / 10, -1/2)
  const auto line = torch::tensor({{0.3 * M_PI, -0.5}}, torch::kDouble);
  EXPECT_LT(distance(ops::veronese_readout(logits, true, 1.0), nn::veronese_from_polar(line)),
            1e-12);
}

TEST_P(VeroneseReadoutOp, Derivatives) {
  for (const bool twice : {false, true})
    for (const double temperature : {1.0, 0.4}) {
      const TensorFunction readout = [&](const Tensors& x) {
        return ops::veronese_readout(x[0], twice, temperature);
      };
      check_jacobian(readout, {random_on(float64(), {2, 4, 5})});
      check_random_directions(readout, {random_on(float64(), {3, 30, 21})});
    }
}

TEST_P(VeroneseReadoutOp, HugeLogitsStayFinite) {
  const auto logits = (1e4 * random_on(float32(), {2, 8, 9})).requires_grad_();
  const auto mean = ops::veronese_readout(logits, true, 1.0);
  mean.square().sum().backward();
  EXPECT_TRUE(mean.isfinite().all().item<bool>());
  EXPECT_TRUE(logits.grad().isfinite().all().item<bool>());
  // Propagates NaN, for the trainer to see.
  const auto bad = torch::full({1, 8, 9}, NAN, float32());
  EXPECT_TRUE(ops::veronese_readout(bad, true, 1.0).isnan().all().item<bool>());
}

TEST_P(VeroneseReadoutOp, ShapesAndTypes) {
  const auto logits = random_on(float64(), {2, 3, 8, 9});
  const auto all = ops::veronese_readout(logits, true, 1.0);
  ASSERT_EQ(all.sizes(), torch::IntArrayRef({2, 3, 6}));
  EXPECT_TRUE(same_bits(all[1][2], ops::veronese_readout(logits[1][2], true, 1.0)));
  const auto strided = logits.flip({-1}).transpose(0, 1);
  EXPECT_TRUE(same_bits(ops::veronese_readout(strided, true, 1.0),
                        ops::veronese_readout(strided.contiguous(), true, 1.0)));

  auto empty = torch::zeros({0, 8, 9}, float32()).requires_grad_();
  ops::veronese_readout(empty, true, 1.0).sum().backward();
  EXPECT_EQ(empty.grad().sizes(), empty.sizes());

  auto half = logits.to(torch::kBFloat16).detach().requires_grad_();
  const auto mean = ops::veronese_readout(half, true, 1.0);
  EXPECT_EQ(mean.scalar_type(), torch::kFloat);
  mean.square().sum().backward();
  EXPECT_EQ(half.grad().scalar_type(), torch::kBFloat16);

  const auto meta = torch::empty({4, 8, 9}, torch::TensorOptions().device(torch::kMeta));
  EXPECT_EQ(ops::veronese_readout(meta, true, 1.0).sizes(), torch::IntArrayRef({4, 6}));
}

TEST_P(VeroneseReadoutOp, WrongArgumentsAreRefused) {
  const auto logits = torch::zeros({2, 7, 9}, float32());
  EXPECT_THROW(ops::veronese_readout(logits, true, 1.0), c10::Error);
  EXPECT_THROW(ops::veronese_readout(logits, false, 0.0), c10::Error);
  EXPECT_THROW(ops::veronese_readout(logits.narrow(2, 0, 8), false, 1.0), c10::Error);
  auto leaf = torch::zeros({2, 7, 9}, float32()).requires_grad_();
  const auto sum = ops::veronese_readout(leaf, false, 1.0).sum();
  EXPECT_THROW(torch::autograd::grad({sum}, {leaf}, {}, true, true), c10::Error);
}

TEST_P(VeroneseReadoutOp, SoftArgmaxAveragesThePolarGrid) {
  const CellShape shape{6, 5};
  const TensorFunction readout = [](const Tensors& x) { return nn::soft_argmax(x[0], 0.5); };
  const auto logits = random_on(float64(), {2, 6, 5});
  const auto p = torch::softmax(logits.flatten(1) / 0.5, 1).view({2, 6, 5}).cpu();
  for (int64_t b = 0; b < 2; ++b) {
    double theta = 0.0;
    double rho = 0.0;
    for (int t = 0; t < 6; ++t)
      for (int r = 0; r < 5; ++r) {
        theta += p[b][t][r].item<double>() * shape.theta(t);
        rho += p[b][t][r].item<double>() * shape.rho(r);
      }
    EXPECT_LT(distance(readout({logits})[b], torch::tensor({theta, rho}, torch::kDouble)), 1e-12);
  }
  check_jacobian(readout, {logits});
}

VSMAX_ON_EACH_DEVICE(VeroneseReadoutOp);

}  // namespace
}  // namespace vsmax::test
