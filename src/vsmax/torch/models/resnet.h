// SPDX-License-Identifier: Apache-2.0
// ResNet-18 without its classifier (He et al., CVPR 2016), with torchvision's names for its
// 11,176,512 parameters, so that its weights can be loaded.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

namespace vsmax::nn {

// Two 3x3 convolutions beside a shortcut. All layers compute in the type of their input, with
// weights cast to it; batch norm keeps its statistics in float32.
class BasicBlockImpl : public torch::nn::Module {
 public:
  BasicBlockImpl(int64_t inputs, int64_t outputs, int64_t stride);
  torch::Tensor forward(torch::Tensor x);

 private:
  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::BatchNorm2d bn1_, bn2_;
  torch::nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(BasicBlock);

// [B, 3, H, W] -> [B, 512].
class ResNet18Impl : public torch::nn::Module {
 public:
  ResNet18Impl();
  torch::Tensor forward(torch::Tensor x);

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d bn1_;
  std::vector<torch::nn::Sequential> layers_;
};
TORCH_MODULE(ResNet18);

}  // namespace vsmax::nn
