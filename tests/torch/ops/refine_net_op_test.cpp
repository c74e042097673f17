// SPDX-License-Identifier: Apache-2.0
// The refinement network as one operator, against torch's own operations rounded in the same
// places. Only in a build with CUDA.
#include <cmath>

#include "torch/ops/gradcheck.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

using RefineNetOp = OnDevice;

struct RefineNetInputs {
  torch::Tensor accumulators;
  Tensors weights, biases;

  RefineNetInputs(torch::TensorOptions options, torch::IntArrayRef shape)
      : accumulators((4.0 * torch::rand(shape)).to(options).requires_grad_()) {
    for (int l = 0; l < 6; ++l) {
      const int64_t inputs = l == 0 ? 1 : 32;
      const int64_t outputs = l == 5 ? 1 : 32;
      const double deviation = std::sqrt(2.0 / (9.0 * static_cast<double>(inputs)));
      weights.push_back(
          (deviation * torch::randn({outputs, inputs, 3, 3})).to(options).requires_grad_());
      biases.push_back((0.1 * torch::randn({outputs})).to(options).requires_grad_());
    }
  }
  Tensors parameters() const {
    Tensors all = weights;
    all.insert(all.end(), biases.begin(), biases.end());
    return all;
  }
  Tensors all() const {
    Tensors all = parameters();
    all.push_back(accumulators);
    return all;
  }
  torch::Tensor operator()(double scale, bool double_cover = true) const {
    return ops::refine_net(accumulators, weights, biases, double_cover, scale);
  }
};

torch::Tensor rounding_refine_net(const RefineNetInputs& x, double scale, bool double_cover) {
  const auto rounded = [](const torch::Tensor& values) {
    return values.to(torch::kBFloat16).to(torch::kFloat);
  };
  const auto once = x.accumulators * scale;
  auto features = (double_cover ? torch::cat({once, once.flip({-1})}, -2) : once).unsqueeze(1);
  for (std::size_t l = 0; l < 6; ++l) {
    const int64_t rows = features.size(2);
    const auto edge = double_cover ? features : features.flip({-1});
    features = torch::cat({edge.narrow(2, rows - 1, 1), features, edge.narrow(2, 0, 1)}, 2);
    features = torch::conv2d(features, l == 0 ? x.weights[l] : rounded(x.weights[l]), x.biases[l],
                             1, torch::IntArrayRef({0, 1}));
    if (l < 5) features = rounded(torch::relu(features));
  }
  return features.squeeze(1);
}

double relative_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

TEST_P(RefineNetOp, MatchesPlainOperationsAndTheirDerivatives) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{1, 5, 9}, {3, 12, 17}, {2, 127, 127}})
    for (const bool double_cover : {false, true}) {
      const RefineNetInputs inputs(float32(), shape);
      const auto ours = inputs(0.25, double_cover);
      const auto plain = rounding_refine_net(inputs, 0.25, double_cover);
      ASSERT_LT(relative_distance(ours, plain), 1e-2);
      const auto pull = random_on(float32(), ours.sizes());
      const auto found = gradients(ours, inputs.all(), pull);
      const auto expected = gradients(plain, inputs.all(), pull);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_LT(relative_distance(found[i], expected[i]), 5e-2) << i << " of " << ours.sizes();
    }
}

TEST_P(RefineNetOp, KeepsNothingThatIsNotNeeded) {
  RefineNetInputs inputs(float32(), {2, 6, 9});
  const auto logits = inputs(0.5);
  const auto pull = random_on(float32(), logits.sizes());
  const auto all = gradients(logits, inputs.parameters(), pull);
  {
    const torch::NoGradGuard guard;
    EXPECT_TRUE(same_bits(inputs(0.5), logits));
  }
  inputs.accumulators = inputs.accumulators.detach();
  const auto fewer = gradients(inputs(0.5), inputs.parameters(), pull);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(same_bits(fewer[i], all[i]));
}

TEST_P(RefineNetOp, AnEmptyBatchAndWrongWeights) {
  const RefineNetInputs inputs(float32(), {0, 6, 9});
  const auto logits = inputs(1.0);
  EXPECT_EQ(logits.sizes(), torch::IntArrayRef({0, 12, 9}));
  EXPECT_EQ(gradients(logits, inputs.weights, logits.detach())[2].abs().max().item<double>(), 0.0);
  auto weights = inputs.weights;
  weights.pop_back();
  EXPECT_THROW(ops::refine_net(inputs.accumulators, weights, inputs.biases, true, 1.0), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(Device, RefineNetOp, ::testing::Values("cuda"), device_name);

}  // namespace
}  // namespace vsmax::test
