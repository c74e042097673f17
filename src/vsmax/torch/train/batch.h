// SPDX-License-Identifier: Apache-2.0
// Internal: samples as the tensors that a model takes.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "vsmax/torch/train/training_set.h"

namespace vsmax {

struct Batch {
  torch::Tensor images;  // [B, H, W] float32
  torch::Tensor truth;   // [B, 2] float32: theta, rho / D
};

Batch render_batch(const HoughGrid& grid, const std::vector<TrainingSample>& samples,
                   torch::Device device);

// Images, truth, sigmas and sample keys in one safetensors file, to see what went wrong.
void save_batch(const std::string& path, const HoughGrid& grid,
                const std::vector<TrainingSample>& samples, torch::Device device);

}  // namespace vsmax
