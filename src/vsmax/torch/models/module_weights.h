// SPDX-License-Identifier: Apache-2.0
// Internal: a module's weights to and from the content of a weights file.
#pragma once

#include <torch/nn/module.h>

#include <string>

#include "vsmax/io/safetensors.h"

namespace vsmax {

// Adds the parameters and the batch-norm statistics, in float32; tables are not weights.
void store_weights(const torch::nn::Module& module, SafeTensors& file);

// Throws Error that starts with `name` and says which tensor is missing or of the wrong shape,
// before anything is changed. Tensors that the module lacks are left alone.
void restore_weights(torch::nn::Module& module, const SafeTensors& file, const std::string& name);

// Throws Error naming a tensor of the file that the module lacks.
void require_no_other_weights(const torch::nn::Module& module, const SafeTensors& file,
                              const std::string& name);

}  // namespace vsmax
