// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/weights.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

std::map<std::string, torch::Tensor> weights_of(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> weights;
  for (const auto& item : module.named_parameters()) weights[item.key()] = item.value();
  for (const auto& item : module.named_buffers())
    if (item.key().ends_with("running_mean") || item.key().ends_with("running_var"))
      weights[item.key()] = item.value();
  return weights;
}

std::string shape_text(torch::IntArrayRef shape) {
  std::string text;
  for (const auto extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

}  // namespace

torch::Tensor host_tensor(const torch::Tensor& tensor) {
  auto plain = tensor.detach().to(torch::kFloat).contiguous();
  if (plain.is_cpu()) return plain;
  const auto options = torch::TensorOptions().dtype(torch::kFloat).pinned_memory(plain.is_cuda());
  return torch::empty(plain.sizes(), options).copy_(plain);
}

Tensor file_tensor(const torch::Tensor& tensor) {
  const auto plain = host_tensor(tensor);
  const float* values = plain.data_ptr<float>();
  return {plain.sizes().vec(), {values, values + plain.numel()}};
}

torch::Tensor torch_tensor(const Tensor& tensor) {
  auto copy = torch::empty(tensor.shape, torch::kFloat);
  std::copy(tensor.values.begin(), tensor.values.end(), copy.data_ptr<float>());
  return copy;
}

void store_weights(const torch::nn::Module& module, SafeTensors& file) {
  const auto weights = weights_of(module);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> flat;
  for (const auto& [key, value] : weights)
    if (!value.is_cpu()) flat.push_back(value.to(torch::kFloat).reshape({-1}));
  // One copy from a device takes less time than a hundred.
  const auto joined = flat.empty() ? torch::Tensor() : host_tensor(torch::cat(flat));
  std::int64_t begin = 0;
  for (const auto& [key, value] : weights) {
    if (value.is_cpu()) {
      file.tensors[key] = file_tensor(value);
      continue;
    }
    file.tensors[key] = file_tensor(joined.narrow(0, begin, value.numel()).view(value.sizes()));
    begin += value.numel();
  }
}

void restore_weights(torch::nn::Module& module, const SafeTensors& file, const std::string& name) {
  const auto weights = weights_of(module);
  for (const auto& item : file.tensors)
    if (weights.count(item.first) == 0)
      throw Error(name + ": the tensor '" + item.first + "' is not one of this model");
  for (const auto& [key, value] : weights) {
    const auto found = file.tensors.find(key);
    if (found == file.tensors.end()) throw Error(name + ": the tensor '" + key + "' is missing");
    if (value.sizes() != torch::IntArrayRef(found->second.shape))
      throw Error(name + ": the tensor '" + key + "' is " + shape_text(found->second.shape) +
                  ", not " + shape_text(value.sizes()));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [key, value] : weights)
    torch::Tensor(value).copy_(torch_tensor(file.tensors.at(key)));
}

}  // namespace vsmax
