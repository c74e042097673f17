// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/modules.h"

#include <vector>

#include "vsmax/refine/refine_net.h"
#include "vsmax/torch/ops/functions.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {

namespace {

constexpr auto kLayers = static_cast<int64_t>(vsmax::RefineNet::kLayers);
constexpr auto kChannels = static_cast<int64_t>(vsmax::RefineNet::kChannels);

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
  std::vector<torch::Tensor> weights;
  std::vector<torch::Tensor> biases;
  for (const auto& layer : *refine_) {
    weights.push_back(layer->as<torch::nn::Conv2dImpl>()->weight);
    biases.push_back(layer->as<torch::nn::Conv2dImpl>()->bias);
  }
  return refine_logits(accumulator, weights, biases, cover_, scale_, bfloat16_);
}

torch::Tensor SoftArgmaxImpl::forward(const torch::Tensor& logits) const {
  TORCH_CHECK(logits.dim() == 3 && logits.size(1) == thetas_ && logits.size(2) == rhos_,
              "needs logits [B, ", thetas_, ", ", rhos_, "], not ", logits.sizes());
  return soft_argmax(logits, temperature_);
}

torch::Tensor VeroneseSoftArgmaxImpl::forward(const torch::Tensor& logits) const {
  return ops::veronese_readout(logits, cover_ == Cover::kDouble, temperature_);
}

torch::Tensor LineHeadImpl::forward(const torch::Tensor& barycentre) const {
  return polar_from_embedding(barycentre, guard_);
}

}  // namespace vsmax::nn
