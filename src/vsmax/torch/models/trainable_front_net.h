// SPDX-License-Identifier: Apache-2.0
// The trainable twin of vsmax::FrontNet, with the same tensor names.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

namespace vsmax::nn {

// Normalised colour images [B, 3, H, W], with sides that are multiples of FrontNet::kGranule, to
// evidence [B, H, W]. With `bfloat16` the arithmetic on CUDA is bfloat16, except in the last layer;
// on the CPU it has no effect.
class FrontNetImpl : public torch::nn::Module {
 public:
  explicit FrontNetImpl(bool bfloat16 = false);
  torch::Tensor forward(const torch::Tensor& images);

  const torch::nn::ModuleList& layers() const { return front_; }

 private:
  bool bfloat16_;
  torch::nn::ModuleList front_;
};
TORCH_MODULE(FrontNet);

}  // namespace vsmax::nn
