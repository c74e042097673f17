// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/trainable_front_net.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>

#include <vector>

#include "vsmax/evidence/front_net.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {

namespace {

// [2 count, count]: doubles a row of pixels by linear interpolation, as the core does.
torch::Tensor doubling_matrix(int64_t count, const torch::TensorOptions& options) {
  const auto wide = options.dtype(torch::kFloat);
  const auto place = (torch::arange(2 * count, wide) - 0.5) / 2.0;
  const auto clamped = place.clamp(0.0, static_cast<double>(count - 1)).unsqueeze(1);
  const auto pixel = torch::arange(count, wide).unsqueeze(0);
  return (1.0 - (clamped - pixel).abs()).clamp_min(0.0).to(options);
}

// Doubles both sides by bilinear interpolation: on CUDA as matrix products, because there the
// gradient of torch's own interpolation adds in no fixed order.
torch::Tensor doubled(const torch::Tensor& maps) {
  if (maps.is_cpu())
    return torch::upsample_bilinear2d(maps, {2 * maps.size(2), 2 * maps.size(3)}, false);
  const auto options = maps.options().requires_grad(false);
  const auto pixels = maps.permute({0, 2, 3, 1});  // [B, H, W, C]
  const int64_t height = maps.size(2);
  const int64_t width = maps.size(3);
  const auto wide = torch::matmul(doubling_matrix(width, options), pixels).flatten(2);
  return torch::matmul(doubling_matrix(height, options), wide)
      .view({maps.size(0), 2 * height, 2 * width, maps.size(1)})
      .permute({0, 3, 1, 2});
}

// A 3x3 convolution to one channel, [B, C, H, W] -> [B, H, W], as a product with all nine taps and
// a sum of shifted images: on CUDA the gradient of cuDNN's float32 convolution takes as long as all
// other layers together.
torch::Tensor single_channel(const torch::Tensor& maps, const torch::Tensor& weight) {
  const auto taps =
      torch::matmul(maps.permute({0, 2, 3, 1}), weight[0].flatten(1));  // [B, H, W, 9]
  const auto padded = torch::constant_pad_nd(taps, {0, 0, 1, 1, 1, 1});
  torch::Tensor sum;
  for (int64_t tap = 0; tap < 9; ++tap) {
    const auto shifted =
        padded.select(3, tap).narrow(1, tap / 3, maps.size(2)).narrow(2, tap % 3, maps.size(3));
    sum = tap == 0 ? shifted : sum + shifted;
  }
  return sum;
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
  // The last layer's inputs are never negative, so large weights of random sign would give all
  // pixels the same large offset; if that is negative, softplus passes no gradient.
  constexpr double kFirstEvidence = 0.01;
  const auto* last = front_[front_->size() - 1]->as<torch::nn::Conv2dImpl>();
  torch::nn::init::normal_(last->weight, 0.0, kFirstEvidence);
}

torch::Tensor FrontNetImpl::forward(const torch::Tensor& images) {
  constexpr auto kScales = vsmax::FrontNet::kScales;
  TORCH_CHECK(images.dim() == 4 && images.size(1) == vsmax::FrontNet::kInputs &&
                  images.size(2) % vsmax::FrontNet::kGranule == 0 &&
                  images.size(3) % vsmax::FrontNet::kGranule == 0,
              "needs colour images [B, 3, H, W] with sides that are multiples of ",
              vsmax::FrontNet::kGranule, ", not ", images.sizes());
  const auto type = bfloat16_ && images.is_cuda() ? torch::kBFloat16 : images.scalar_type();
  // float32 on the CPU is left to the core's kernels.
  const bool kernels = images.is_cpu() && type == torch::kFloat;
  auto layer = front_->begin();
  const auto convolve = [&](const torch::Tensor& maps) {
    const auto* conv = (*layer++)->as<torch::nn::Conv2dImpl>();
    if (kernels) return ops::conv_layer(maps, conv->weight, conv->bias, 0);
    return torch::relu(torch::conv2d(maps, conv->weight.to(type), conv->bias.to(type), 1, 1));
  };
  std::vector<torch::Tensor> scales;
  auto maps = images.to(type);
  if (maps.is_cuda()) maps = maps.contiguous(torch::MemoryFormat::ChannelsLast);
  for (std::size_t s = 0; s < kScales; ++s) {
    maps = convolve(s == 0 ? maps : torch::avg_pool2d(maps, 2));
    maps = convolve(maps);
    scales.push_back(maps);
  }
  for (std::size_t s = kScales - 1; s-- > 0;) maps = convolve(scales[s] + doubled(maps));
  if (kernels) return torch::softplus(convolve(maps).squeeze(1));
  const auto* last = (*layer)->as<torch::nn::Conv2dImpl>();
  return torch::softplus(single_channel(maps.to(images.scalar_type()), last->weight) + last->bias);
}

}  // namespace vsmax::nn
