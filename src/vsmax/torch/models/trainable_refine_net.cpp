// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/trainable_refine_net.h"

#include <torch/nn/modules/conv.h>

#include <vector>

#include "vsmax/refine/refine_net.h"
#include "vsmax/torch/functions/refinement.h"

namespace vsmax::nn {

RefineNetImpl::RefineNetImpl(Cover cover, double scale, bool bfloat16)
    : cover_(cover), scale_(scale), bfloat16_(bfloat16) {
  register_module("refine", refine_);
  for (const auto& [inputs, outputs] : vsmax::RefineNet::channel_counts())
    refine_->push_back(torch::nn::Conv2d(
        torch::nn::Conv2dOptions(static_cast<int64_t>(inputs), static_cast<int64_t>(outputs), 3)));
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

}  // namespace vsmax::nn
