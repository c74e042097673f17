// SPDX-License-Identifier: Apache-2.0
// The networks' layers by the core's kernels against torch's convolutions in double.
#include <ATen/Parallel.h>

#include "torch/ops/gradcheck.h"
#include "vsmax/torch/functions/refinement.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

constexpr auto kChannelsLast = torch::MemoryFormat::ChannelsLast;

class ConvLayerOp : public ::testing::Test {
 protected:
  void SetUp() override { seed_from_test_name(); }
};

torch::Tensor plainly(const torch::Tensor& maps, const torch::Tensor& weight,
                      const torch::Tensor& bias, int64_t cover) {
  const auto padded =
      cover == 0 ? torch::constant_pad_nd(maps, {0, 0, 1, 1}) : nn::seam_pad(maps, 1, cover == 1);
  const auto result = torch::conv2d(padded, weight, bias, 1, torch::IntArrayRef({0, 1}));
  return weight.size(0) == 1 ? result : torch::relu(result);
}

// Maps, weights and biases.
Tensors layer(int64_t inputs, int64_t outputs, const std::vector<int64_t>& extents) {
  return {torch::randn({extents[0], inputs, extents[1], extents[2]}),
          0.1 * torch::randn({outputs, inputs, 3, 3}), torch::randn({outputs})};
}

Tensors with_gradients(const Tensors& arguments, int64_t cover) {
  const Tensors x = leaves(arguments);
  const auto output = ops::conv_layer(x[0], x[1], x[2], cover);
  const auto pull = torch::linspace(-1.0, 1.0, output.numel()).view(output.sizes());
  Tensors result = gradients(output, x, pull);
  result.push_back(output.detach());
  return result;
}

TEST_F(ConvLayerOp, MatchesTorchInDoubleTo1em4) {
  constexpr std::pair<int64_t, int64_t> kChannelCounts[] = {{1, 32}, {3, 32}, {32, 32}, {32, 1}};
  for (const auto& [inputs, outputs] : kChannelCounts)
    for (const auto& extents :
         {std::vector<int64_t>{3, 12, 9}, {1, 1, 1}, {2, 5, 4}, {2, 2, 40}, {5, 62, 31}})
      for (const int64_t cover : {0, 1, 2}) {
        SCOPED_TRACE(testing::Message() << inputs << " to " << outputs << " channels, " << extents
                                        << ", cover " << cover);
        const Tensors x = leaves(layer(inputs, outputs, extents));
        Tensors wide;
        for (const auto& tensor : x) wide.push_back(tensor.to(torch::kDouble));
        wide = leaves(wide);
        const auto output = ops::conv_layer(x[0], x[1], x[2], cover);
        const auto truth = plainly(wide[0], wide[1], wide[2], cover);
        ASSERT_LT(distance(output, truth), 1e-4 * truth.abs().max().item<double>());
        // Where rounding could switch a ReLU, there is no pull.
        const auto pull = torch::randn(truth.sizes(), torch::kDouble) *
                          (truth.detach().abs() > 1e-3).logical_or(truth.detach() == 0.0);
        const auto ours = gradients(output, x, pull.to(torch::kFloat));
        const auto theirs = gradients(truth, wide, pull);
        for (std::size_t i = 0; i < ours.size(); ++i)
          EXPECT_LT(distance(ours[i], theirs[i]),
                    1e-4 * (1.0 + theirs[i].abs().max().item<double>()))
              << "argument " << i;
      }
}

TEST_F(ConvLayerOp, TakesAnyLayout) {
  const Tensors plain = layer(32, 32, {3, 8, 7});
  const Tensors expected = with_gradients(plain, 2);
  const auto sliced = [](const torch::Tensor& x) {
    return torch::repeat_interleave(x, 2, -1).slice(-1, 0, c10::nullopt, 2);
  };
  const Tensors last{plain[0].contiguous(kChannelsLast), plain[1].contiguous(kChannelsLast),
                     plain[2]};
  for (const Tensors& turned :
       {last, Tensors{sliced(plain[0]), sliced(plain[1]), sliced(plain[2])}}) {
    const Tensors x{turned[0].detach().requires_grad_(), turned[1].detach().requires_grad_(),
                    turned[2].detach().requires_grad_()};
    const auto output = ops::conv_layer(x[0], x[1], x[2], 2);
    const auto pull = torch::linspace(-1.0, 1.0, output.numel()).view(output.sizes());
    Tensors found = gradients(output, x, pull);
    found.push_back(output.detach());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(same_bits(found[i], expected[i]));
  }
}

// torch.compile relies on it: the kernels for Meta promise the same.
TEST_F(ConvLayerOp, ResultsAreChannelsLast) {
  const Tensors x = leaves(layer(32, 32, {2, 8, 7}));
  const auto output = ops::conv_layer(x[0], x[1], x[2], 1);
  EXPECT_TRUE(output.is_contiguous(kChannelsLast));
  EXPECT_TRUE(gradients(output, x, torch::ones_like(output))[0].is_contiguous(kChannelsLast));
  const auto meta =
      ops::conv_layer(x[0].to(torch::kMeta), x[1].to(torch::kMeta), x[2].to(torch::kMeta), 1);
  EXPECT_EQ(output.strides(), meta.strides());
  EXPECT_EQ(output.sizes(), meta.sizes());
}

TEST_F(ConvLayerOp, AnEmptyBatchHasGradientsOfZero) {
  const Tensors found = with_gradients(layer(32, 32, {0, 8, 7}), 1);
  EXPECT_EQ(found[0].sizes(), torch::IntArrayRef({0, 32, 8, 7}));
  EXPECT_EQ(distance(found[1], torch::zeros({32, 32, 3, 3})), 0.0);
  EXPECT_EQ(distance(found[2], torch::zeros({32})), 0.0);
}

TEST_F(ConvLayerOp, InputsWithoutGradientGetNone) {
  Tensors x = layer(3, 32, {2, 8, 7});
  const Tensors expected = with_gradients(x, 0);
  x[1].requires_grad_();
  const auto output = ops::conv_layer(x[0], x[1], x[2], 0);
  const auto pull = torch::linspace(-1.0, 1.0, output.numel()).view(output.sizes());
  EXPECT_TRUE(same_bits(gradients(output, {x[1]}, pull)[0], expected[1]));
}

TEST_F(ConvLayerOp, BitsDoNotDependOnTheThreads) {
  const Tensors x = layer(32, 32, {7, 12, 9});
  const int before = at::get_num_threads();
  Tensors expected;
  for (const int threads : {1, 2, 3, 8}) {
    at::set_num_threads(threads);
    const Tensors found = with_gradients(x, 2);
    if (expected.empty()) expected = found;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(same_bits(found[i], expected[i]));
  }
  at::set_num_threads(before);
}

TEST_F(ConvLayerOp, RejectsWhatItHasNoKernelFor) {
  const Tensors x = layer(32, 32, {2, 8, 7});
  const auto rejects = [&](const torch::Tensor& maps, const torch::Tensor& weight,
                           const torch::Tensor& bias, int64_t cover) {
    EXPECT_THROW(ops::conv_layer(maps, weight, bias, cover), c10::Error);
  };
  rejects(x[0][0], x[1], x[2], 0);
  rejects(x[0].to(torch::kDouble), x[1], x[2], 0);
  rejects(x[0], x[1].to(torch::kDouble), x[2], 0);
  rejects(x[0], x[1].narrow(1, 0, 16), x[2], 0);
  rejects(x[0], x[1].narrow(0, 0, 16), x[2].narrow(0, 0, 16), 0);
  rejects(x[0], x[1].narrow(2, 0, 1), x[2], 0);
  rejects(x[0], x[1], x[2].narrow(0, 0, 16), 0);
  rejects(x[0].narrow(2, 0, 0), x[1], x[2], 0);
  rejects(x[0], x[1], x[2], 3);
  rejects(x[0], x[1], x[2], -1);
}

}  // namespace
}  // namespace vsmax::test
