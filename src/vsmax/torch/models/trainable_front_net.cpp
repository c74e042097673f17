// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/trainable_front_net.h"

#include <torch/nn/functional/pooling.h>
#include <torch/nn/functional/upsampling.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>

#include <vector>

#include "vsmax/evidence/front_net.h"

namespace vsmax::nn {

namespace {

namespace F = torch::nn::functional;

torch::Tensor doubled(const torch::Tensor& maps) {
  return F::interpolate(maps, F::InterpolateFuncOptions()
                                  .scale_factor(std::vector<double>{2.0, 2.0})
                                  .mode(torch::kBilinear)
                                  .align_corners(false));
}

}  // namespace

FrontNetImpl::FrontNetImpl(bool bfloat16) : bfloat16_(bfloat16) {
  register_module("front", front_);
  for (const auto& [inputs, outputs] : vsmax::FrontNet::channel_counts()) {
    torch::nn::Conv2d layer(
        torch::nn::Conv2dOptions(static_cast<int64_t>(inputs), static_cast<int64_t>(outputs), 3)
            .padding(1));
    // Without normalisation, the weights must keep the signal's size (He et al. 2015).
    torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanIn, torch::kReLU);
    torch::nn::init::zeros_(layer->bias);
    front_->push_back(layer);
  }
}

torch::Tensor FrontNetImpl::forward(const torch::Tensor& images) {
  constexpr auto kScales = vsmax::FrontNet::kScales;
  TORCH_CHECK(images.dim() == 4 && images.size(1) == vsmax::FrontNet::kInputs &&
                  images.size(2) % vsmax::FrontNet::kGranule == 0 &&
                  images.size(3) % vsmax::FrontNet::kGranule == 0,
              "needs colour images [B, 3, H, W] with sides that are multiples of ",
              vsmax::FrontNet::kGranule, ", not ", images.sizes());
  const auto type = bfloat16_ && images.is_cuda() ? torch::kBFloat16 : images.scalar_type();
  auto layer = front_->begin();
  const auto convolve = [&](const torch::Tensor& maps) {
    const auto* conv = (*layer++)->as<torch::nn::Conv2dImpl>();
    return torch::relu(torch::conv2d(maps, conv->weight.to(type), conv->bias.to(type), 1, 1));
  };
  std::vector<torch::Tensor> scales;
  auto maps = images.to(type);
  for (std::size_t s = 0; s < kScales; ++s) {
    maps = convolve(s == 0 ? maps : torch::avg_pool2d(maps, 2));
    maps = convolve(maps);
    scales.push_back(maps);
  }
  for (std::size_t s = kScales - 1; s-- > 0;) maps = convolve(scales[s] + doubled(maps));
  const auto* last = (*layer)->as<torch::nn::Conv2dImpl>();
  const auto evidence =
      torch::conv2d(maps.to(images.scalar_type()), last->weight, last->bias, 1, 1);
  return torch::softplus(evidence).squeeze(1);
}

}  // namespace vsmax::nn
