// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/module_weights.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <string_view>

#include "vsmax/base/error.h"

namespace vsmax {

namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::map<std::string, torch::Tensor> weights_of(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> weights;
  for (const auto& item : module.named_parameters()) weights[item.key()] = item.value();
  for (const auto& item : module.named_buffers())
    if (ends_with(item.key(), "running_mean") || ends_with(item.key(), "running_var"))
      weights[item.key()] = item.value();
  return weights;
}

std::string shape_text(torch::IntArrayRef shape) {
  std::string text;
  for (const auto extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text.empty() ? "scalar" : text;
}

}  // namespace

void store_weights(const torch::nn::Module& module, SafeTensors& file) {
  for (const auto& [key, value] : weights_of(module)) {
    const auto values = value.detach().to(torch::kCPU, torch::kFloat).contiguous();
    auto& tensor = file.tensors[key];
    tensor.shape = values.sizes().vec();
    const float* data = values.data_ptr<float>();
    tensor.values.assign(data, data + values.numel());
  }
}

void restore_weights(torch::nn::Module& module, const SafeTensors& file, const std::string& name) {
  const auto weights = weights_of(module);
  for (const auto& [key, value] : weights) {
    const auto found = file.tensors.find(key);
    if (found == file.tensors.end()) throw Error(name + ": the tensor '" + key + "' is missing");
    if (value.sizes() != torch::IntArrayRef(found->second.shape))
      throw Error(name + ": the tensor '" + key + "' is " + shape_text(found->second.shape) +
                  ", not " + shape_text(value.sizes()));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [key, value] : weights) {
    const auto& tensor = file.tensors.at(key);
    auto values = torch::empty(tensor.shape, torch::kFloat);
    std::copy(tensor.values.begin(), tensor.values.end(), values.data_ptr<float>());
    torch::Tensor(value).copy_(values);
  }
}

void require_no_other_weights(const torch::nn::Module& module, const SafeTensors& file,
                              const std::string& name) {
  const auto weights = weights_of(module);
  for (const auto& item : file.tensors)
    if (weights.count(item.first) == 0)
      throw Error(name + ": the tensor '" + item.first + "' is not one of this model");
}

}  // namespace vsmax
