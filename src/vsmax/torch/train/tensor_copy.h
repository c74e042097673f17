// SPDX-License-Identifier: Apache-2.0
// Between LibTorch's tensors and those of a safetensors file. Internal to train.
#pragma once

#include <torch/types.h>

#include <algorithm>

#include "vsmax/io/safetensors.h"

namespace vsmax {

inline Tensor file_tensor(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const float* values = plain.data_ptr<float>();
  return {plain.sizes().vec(), {values, values + plain.numel()}};
}

inline torch::Tensor torch_tensor(const Tensor& tensor) {
  torch::Tensor copy = torch::empty(tensor.shape, torch::kFloat32);
  std::copy(tensor.values.begin(), tensor.values.end(), copy.data_ptr<float>());
  return copy;
}

}  // namespace vsmax
