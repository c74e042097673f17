// SPDX-License-Identifier: Apache-2.0
// The trainable twin of vsmax::RefineNet, with the same tensor names.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

#include "vsmax/geometry/cover.h"

namespace vsmax::nn {

// An accumulator [B, T, R] -> logits [B, T, R], or [B, 2T, R] on the double cover, float32 or
// float64. With `bfloat16` the arithmetic on CUDA is bfloat16; on the CPU it has no effect.
class RefineNetImpl : public torch::nn::Module {
 public:
  RefineNetImpl(Cover cover, double scale, bool bfloat16 = false);
  torch::Tensor forward(const torch::Tensor& accumulator);

  const torch::nn::ModuleList& layers() const { return refine_; }

 private:
  Cover cover_;
  double scale_;
  bool bfloat16_;
  torch::nn::ModuleList refine_;
};
TORCH_MODULE(RefineNet);

}  // namespace vsmax::nn
