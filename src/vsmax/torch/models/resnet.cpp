// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/resnet.h"

#include <torch/nn/init.h>

namespace vsmax::nn {

namespace {

torch::nn::Conv2d convolution(int64_t inputs, int64_t outputs, int64_t size, int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(inputs, outputs, size).stride(stride).padding(size / 2).bias(false));
}

torch::Tensor convolve_layer(const torch::nn::Conv2dImpl& layer, const torch::Tensor& x) {
  return torch::conv2d(x, layer.weight.to(x.scalar_type()), {}, layer.options.stride(),
                       torch::IntArrayRef(layer.weight.size(2) / 2));
}

}  // namespace

BasicBlockImpl::BasicBlockImpl(int64_t inputs, int64_t outputs, int64_t stride)
    : conv1_(convolution(inputs, outputs, 3, stride)),
      conv2_(convolution(outputs, outputs, 3, 1)),
      bn1_(outputs),
      bn2_(outputs) {
  register_module("conv1", conv1_);
  register_module("bn1", bn1_);
  register_module("conv2", conv2_);
  register_module("bn2", bn2_);
  if (stride == 1 && inputs == outputs) return;
  downsample_ =
      register_module("downsample", torch::nn::Sequential(convolution(inputs, outputs, 1, stride),
                                                          torch::nn::BatchNorm2d(outputs)));
}

torch::Tensor BasicBlockImpl::forward(torch::Tensor x) {
  auto shortcut = x;
  if (!downsample_.is_empty()) {
    shortcut = convolve_layer(*downsample_[0]->as<torch::nn::Conv2dImpl>(), x);
    shortcut = downsample_[1]->as<torch::nn::BatchNorm2dImpl>()->forward(shortcut);
  }
  x = torch::relu(bn1_(convolve_layer(*conv1_, x)));
  return torch::relu(bn2_(convolve_layer(*conv2_, x)) + shortcut);
}

ResNet18Impl::ResNet18Impl() : conv1_(convolution(3, 64, 7, 2)), bn1_(64) {
  register_module("conv1", conv1_);
  register_module("bn1", bn1_);
  int64_t inputs = 64;
  for (int64_t stage = 1; stage <= 4; ++stage) {
    const int64_t outputs = int64_t{32} << stage;
    layers_.push_back(
        register_module("layer" + std::to_string(stage),
                        torch::nn::Sequential(BasicBlock(inputs, outputs, stage == 1 ? 1 : 2),
                                              BasicBlock(outputs, outputs, 1))));
    inputs = outputs;
  }
  for (const auto& module : modules(false))
    if (const auto* layer = module->as<torch::nn::Conv2d>())
      torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
}

torch::Tensor ResNet18Impl::forward(torch::Tensor x) {
  x = torch::relu(bn1_(convolve_layer(*conv1_, x)));
  // In plain memory: the backward pass of the channels-last pooling adds in no fixed order on CUDA.
  const auto layout = x.suggest_memory_format();
  x = torch::max_pool2d(x.contiguous(), 3, 2, 1).contiguous(layout);
  for (auto& layer : layers_)
    for (auto& block : *layer) x = block.get<BasicBlockImpl>().forward(x);
  return x.mean({2, 3});
}

}  // namespace vsmax::nn
