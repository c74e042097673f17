// SPDX-License-Identifier: Apache-2.0
#include "vsmax/autograd/modules.h"

#include <array>
#include <numbers>

#include "vsmax/autograd/ops.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax::nn {

namespace {

constexpr auto kLayers = static_cast<int64_t>(vsmax::RefineNet::kLayers);
constexpr auto kChannels = static_cast<int64_t>(vsmax::RefineNet::kChannels);

// The network's input [B, 1, rows + 2, R]: the accumulator on its cover, with the rows past the
// seam. Channels-last on CUDA, where a lone channel would not show it by itself.
torch::Tensor network_input(const torch::Tensor& accumulator, Cover cover, torch::ScalarType type) {
  const auto flipped = accumulator.flip({-1});
  const int64_t last = accumulator.size(1) - 1;
  const bool twice = cover == Cover::kDouble;
  // Before row 0 stands theta - bin, whose line is the last one of the other sheet, rho reversed.
  std::vector<torch::Tensor> parts{flipped.narrow(1, last, 1), accumulator};
  if (twice) parts.push_back(flipped);
  parts.push_back((twice ? accumulator : flipped).narrow(1, 0, 1));
  auto padded = torch::cat(parts, 1).unsqueeze(1).to(type);
  if (!padded.is_cuda()) return padded;
  return torch::empty(padded.sizes(), padded.options(), torch::MemoryFormat::ChannelsLast)
      .copy_(padded);
}

// rho continues with zeros; theta has been continued already. Bias apart.
torch::Tensor convolve(const torch::nn::Conv2dImpl& layer, const torch::Tensor& features) {
  constexpr std::array<int64_t, 2> kPadding{0, 1};
  return torch::conv2d(features, layer.weight.to(features.scalar_type()), {}, 1,
                       torch::IntArrayRef(kPadding));
}

}  // namespace

torch::Tensor HoughTransformImpl::forward(const torch::Tensor& images) const {
  TORCH_CHECK(images.dim() >= 2 && images.size(-1) == grid_.frame().width &&
                  images.size(-2) == grid_.frame().height,
              "the model is for images of ", grid_.frame().width, "x", grid_.frame().height,
              " pixels, not for the shape ", images.sizes());
  return ops::hough(images, grid_.thetas(), grid_.rhos());
}

RefineNetImpl::RefineNetImpl(Cover cover, double scale, bool bfloat16)
    : cover_(cover), scale_(scale), bfloat16_(bfloat16) {
  register_module("refine", refine_);
  for (int64_t l = 0; l < kLayers; ++l)
    refine_->push_back(torch::nn::Conv2d(
        torch::nn::Conv2dOptions(l == 0 ? 1 : kChannels, l + 1 == kLayers ? 1 : kChannels, 3)));
}

torch::Tensor RefineNetImpl::forward(const torch::Tensor& accumulator) {
  TORCH_CHECK(accumulator.dim() == 3, "needs accumulators [B, T, R], not ", accumulator.sizes());
  const bool narrow = bfloat16_ && accumulator.is_cuda();
  const auto type = narrow ? torch::kBFloat16 : accumulator.scalar_type();
  auto features = network_input(accumulator * scale_, cover_, type);
  for (int64_t l = 0; l + 1 < kLayers; ++l) {
    const auto& layer = *refine_[static_cast<std::size_t>(l)]->as<torch::nn::Conv2dImpl>();
    features = ops::seam_relu(convolve(layer, features), layer.bias, cover_ == Cover::kSingle);
  }
  const auto& last = *refine_[static_cast<std::size_t>(kLayers - 1)]->as<torch::nn::Conv2dImpl>();
  return convolve(last, features).squeeze(1).to(accumulator.scalar_type()) + last.bias;
}

SoftArgmaxImpl::SoftArgmaxImpl(const HoughGrid& grid, double temperature)
    : temperature_(temperature) {
  theta_ = register_buffer("theta", torch::empty({grid.thetas()}, torch::kDouble));
  rho_ = register_buffer("rho", torch::empty({grid.rhos()}, torch::kDouble));
  for (int t = 0; t < grid.thetas(); ++t) theta_.data_ptr<double>()[t] = grid.theta(t);
  for (int r = 0; r < grid.rhos(); ++r) rho_.data_ptr<double>()[r] = grid.rho_unit(r);
}

torch::Tensor SoftArgmaxImpl::forward(const torch::Tensor& logits) const {
  TORCH_CHECK(
      logits.dim() == 3 && logits.size(1) == theta_.size(0) && logits.size(2) == rho_.size(0),
      "needs logits [B, ", theta_.size(0), ", ", rho_.size(0), "], not ", logits.sizes());
  const auto p = torch::softmax((logits / temperature_).flatten(1), 1).view_as(logits);
  const auto theta = (p.sum(2) * theta_.to(p.scalar_type())).sum(1);
  const auto rho = (p.sum(1) * rho_.to(p.scalar_type())).sum(1);
  return torch::stack({theta, rho}, 1);
}

torch::Tensor VeroneseSoftArgmaxImpl::forward(const torch::Tensor& logits) const {
  return ops::veronese_readout(logits, cover_ == Cover::kDouble, temperature_);
}

torch::Tensor LineHeadImpl::forward(const torch::Tensor& barycentre) const {
  const auto line = ops::leading_line(barycentre, guard_);
  auto normal = line.narrow(-1, 0, 2);
  const auto squared = normal.detach().square().sum(-1, true);
  // Near the line at infinity the angle turns ever faster; its derivative is held back there as the
  // eigenvector's is, its value is not. At infinity itself any angle will do.
  const auto keep = squared / (squared + guard_ * guard_);
  normal = torch::where(squared > 0, normal * keep + (normal * (1 - keep)).detach(),
                        torch::ones_like(normal));
  const auto angle = torch::atan2(normal.select(-1, 1), normal.select(-1, 0));
  const auto turn = (angle.detach() < 0).to(angle.scalar_type());
  const auto theta = angle + turn * std::numbers::pi;
  const auto rho = (2 * turn - 1) * line.select(-1, 2) / normal.square().sum(-1).sqrt();
  return torch::stack({theta, rho}, -1);
}

}  // namespace vsmax::nn
