// SPDX-License-Identifier: Apache-2.0
// Internal: converts LibTorch's tensors and modules to and from the content of a safetensors file.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

#include "vsmax/io/safetensors.h"

namespace vsmax {

// The tensor on the CPU, in float32 and contiguous; from a GPU by way of pinned memory, which is
// several times as fast, and which torch keeps for the next time.
torch::Tensor host_tensor(const torch::Tensor& tensor);

Tensor file_tensor(const torch::Tensor& tensor);
torch::Tensor torch_tensor(const Tensor& tensor);

// Adds the parameters and the batch-norm statistics, in float32.
void store_weights(const torch::nn::Module& module, SafeTensors& file);

// Throws Error that starts with `name` and says which tensor is missing, unknown or of the wrong
// shape, before anything is changed.
void restore_weights(torch::nn::Module& module, const SafeTensors& file, const std::string& name);

}  // namespace vsmax
