// SPDX-License-Identifier: Apache-2.0
// Bias, ReLU and the rows past the seam in one pass, against torch's own operations.
#include "torch/ops/gradcheck.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

using SeamReluOp = OnDevice;

torch::Tensor plainly(const torch::Tensor& input, const torch::Tensor& bias, bool moebius) {
  const auto y = torch::relu(input + bias.view({1, -1, 1, 1}));
  const auto edge = [&](int64_t row) {
    const auto taken = y.narrow(2, row, 1);
    return moebius ? taken.flip({3}) : taken;
  };
  return torch::cat({edge(y.size(2) - 1), y, edge(0)}, 2);
}

TEST_P(SeamReluOp, MatchesPlainOperationsAndTheirDerivatives) {
  for (const bool moebius : {false, true})
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{2, 32, 9, 7}, {3, 5, 4, 6}, {1, 3, 1, 5}, {2, 32, 254, 127}}) {
      const Tensors inputs =
          leaves({random_on(float64(), shape), random_on(float64(), {shape[1]})});
      const auto fused = ops::seam_relu(inputs[0], inputs[1], moebius);
      const auto plain = plainly(inputs[0], inputs[1], moebius);
      ASSERT_EQ(distance(fused, plain), 0.0);
      const auto pull = random_on(float64(), fused.sizes());
      const auto ours = gradients(fused, inputs, pull);
      const auto theirs = gradients(plain, inputs, pull);
      EXPECT_LT(distance(ours[0], theirs[0]), 1e-12);
      EXPECT_LT(distance(ours[1], theirs[1]), 1e-9);
    }
}

TEST_P(SeamReluOp, Derivatives) {
  for (const bool moebius : {false, true})
    check_jacobian([&](const Tensors& x) { return ops::seam_relu(x[0], x[1], moebius); },
                   {random_on(float64(), {2, 2, 3, 4}), random_on(float64(), {2})});
}

TEST_P(SeamReluOp, AnyLayoutAndAnEmptyBatch) {
  const auto input = random_on(float32(), {4, 6, 7, 32}).permute({0, 3, 1, 2});
  const auto bias = random_on(float32(), {32});
  EXPECT_EQ(
      distance(ops::seam_relu(input, bias, true), ops::seam_relu(input.contiguous(), bias, true)),
      0.0);
  auto empty = torch::zeros({0, 32, 6, 7}, float32()).requires_grad_();
  auto leaf = bias.detach().clone().requires_grad_();
  ops::seam_relu(empty, leaf, false).sum().backward();
  EXPECT_EQ(empty.grad().sizes(), empty.sizes());
  EXPECT_EQ(distance(leaf.grad(), torch::zeros({32})), 0.0);
  const auto meta = torch::empty({2, 3, 4, 5}, torch::TensorOptions().device(torch::kMeta));
  const auto meta_bias = torch::empty({3}, torch::TensorOptions().device(torch::kMeta));
  EXPECT_EQ(ops::seam_relu(meta, meta_bias, true).sizes(), torch::IntArrayRef({2, 3, 6, 5}));
  EXPECT_THROW(ops::seam_relu(input, bias.narrow(0, 0, 31), true), c10::Error);
  EXPECT_THROW(ops::seam_relu(input[0], bias, true), c10::Error);
}

// torch.compile relies on it: the kernels for Meta promise the same.
TEST_P(SeamReluOp, KeepsTheLayout) {
  for (const auto layout : {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast}) {
    const Tensors inputs = leaves(
        {random_on(float32(), {2, 32, 6, 7}).contiguous(layout), random_on(float32(), {32})});
    const auto output = ops::seam_relu(inputs[0], inputs[1], true);
    EXPECT_TRUE(output.is_contiguous(layout));
    const auto meta = ops::seam_relu(inputs[0].to(torch::kMeta), inputs[1].to(torch::kMeta), true);
    EXPECT_EQ(output.strides(), meta.strides());
    const auto grads = gradients(output, inputs, torch::ones(output.sizes(), float32()));
    EXPECT_TRUE(grads[0].is_contiguous(layout));
  }
}

TEST_P(SeamReluOp, IsTheSameEveryTime) {
  const Tensors inputs =
      leaves({random_on(float32(), {16, 32, 62, 31}), random_on(float32(), {32})});
  const auto run = [&] {
    const auto output = ops::seam_relu(inputs[0], inputs[1], false);
    auto result = gradients(output, inputs, output.detach());
    result.push_back(output);
    return result;
  };
  const auto first = run();
  const auto second = run();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(same_bits(first[i], second[i]));
}

TEST(SeamReluCuda, Bfloat16RoundsOnce) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device, or built without CUDA";
  seed_from_test_name();
  const auto input = torch::randn({3, 32, 10, 7}).to(torch::kCUDA, torch::kBFloat16);
  const auto bias = torch::randn({32}).to(torch::kCUDA);
  const auto wide = input.to(torch::kFloat);
  const Tensors ours = leaves({input, bias});
  const Tensors theirs = leaves({wide, bias});
  for (const bool moebius : {false, true}) {
    const auto fused = ops::seam_relu(ours[0], ours[1], moebius);
    const auto plain = plainly(theirs[0], theirs[1], moebius);
    EXPECT_EQ(fused.scalar_type(), torch::kBFloat16);
    EXPECT_TRUE(same_bits(fused, plain.to(torch::kBFloat16)));
    const auto pull = torch::randn(fused.sizes()).to(torch::kCUDA, torch::kBFloat16);
    const auto grads = gradients(fused, ours, pull);
    const auto expected = gradients(plain, theirs, pull.to(torch::kFloat));
    EXPECT_TRUE(same_bits(grads[0], expected[0].to(torch::kBFloat16)));
    EXPECT_LT(distance(grads[1], expected[1]), 1e-4);
  }
}

VSMAX_ON_EACH_DEVICE(SeamReluOp);

}  // namespace
}  // namespace vsmax::test
