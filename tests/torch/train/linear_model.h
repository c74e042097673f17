// SPDX-License-Identifier: Apache-2.0
// The smallest LineModel: (theta, rho) as a linear function of the pixels. It trains in no time and
// can be made to fail at a given call.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <limits>
#include <memory>

#include "vsmax/torch/models/line_model.h"

namespace vsmax::testing {

struct LinearModule : torch::nn::Module {
  explicit LinearModule(std::size_t pixels) {
    torch::manual_seed(7);
    weight =
        register_parameter("weight", 0.01 * torch::randn({static_cast<std::int64_t>(pixels), 2}));
    bias = register_parameter("bias", torch::zeros({2}));
  }
  torch::Tensor forward(const torch::Tensor& images) const {
    return torch::matmul(images.flatten(1), weight) + bias;
  }

  torch::Tensor weight;
  torch::Tensor bias;
};

class LinearModel : public LineModel {
 public:
  explicit LinearModel(const HoughGrid& grid)
      : LinearModel(grid, std::make_shared<LinearModule>(grid.frame().pixels())) {}

  int nan_loss_at = 0;  // count of training calls, from 1; 0: never
  int nan_gradient_at = 0;
  int nan_validation_at = 0;
  bool reads_loss = false;  // and so waits for the device
  int training_calls = 0;
  int validation_calls = 0;

 private:
  LinearModel(const HoughGrid& grid, const std::shared_ptr<LinearModule>& module)
      : LineModel(spec_of(grid), module), module_(module) {}

  torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth,
                        const torch::Tensor& whole) override {
    torch::Tensor loss =
        share_of_mean((module_->forward(images) - truth).pow(2).mean(), truth, whole);
    if (reads_loss) static_cast<void>(loss.item<float>());
    const bool training = is_training();
    const int call = training ? ++training_calls : ++validation_calls;
    if (training && call == nan_loss_at) loss = loss * std::numeric_limits<float>::quiet_NaN();
    if (training && call == nan_gradient_at)
      loss = loss + 0.0 * torch::sqrt(0.0 * module_->bias).sum();
    if (!training && call == nan_validation_at) loss = loss / 0.0;
    return loss;
  }

  PredictedLines lines_of(const torch::Tensor& images) override {
    return lines_from_polar(module_->forward(images));
  }

  static ModelSpec spec_of(const HoughGrid& grid) {
    ModelSpec spec;
    spec.name = "linear";
    spec.frame = grid.frame();
    spec.bins = {grid.thetas(), grid.rhos()};
    return spec;
  }

  std::shared_ptr<LinearModule> module_;
};

}  // namespace vsmax::testing
