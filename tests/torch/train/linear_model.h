// SPDX-License-Identifier: Apache-2.0
// The smallest LineModel: (theta, rho) as a linear function of the pixels. It trains in no time,
// and can be told to fail at a given call.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <limits>

#include "vsmax/torch/models/line_model.h"

namespace vsmax::testing {

class LinearModel : public LineModel {
 public:
  explicit LinearModel(const HoughGrid& grid) : LineModel(spec_of(grid)) {
    torch::manual_seed(7);
    const int pixels = grid.frame().width * grid.frame().height;
    weight_ = (0.01 * torch::randn({pixels, 2})).requires_grad_();
    bias_ = torch::zeros({2}).requires_grad_();
  }

  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) override {
    torch::Tensor loss = (torch::matmul(images.flatten(1), weight_) + bias_ - truth).pow(2).mean();
    const int call = training_ ? ++training_calls : ++validation_calls;
    if (training_ && call == nan_loss_at) loss = loss * std::numeric_limits<float>::quiet_NaN();
    if (training_ && call == nan_gradient_at) loss = loss + 0.0 * torch::sqrt(0.0 * bias_).sum();
    if (!training_ && call == nan_validation_at) loss = loss / 0.0;
    return loss;
  }

  PredictedLines predict(const torch::Tensor& images) override {
    const torch::Tensor line = (torch::matmul(images.flatten(1), weight_) + bias_).detach();
    return {line.select(1, 0).to(torch::kFloat64), line.select(1, 1).to(torch::kFloat64),
            torch::ones({images.size(0)}, torch::kBool)};
  }

  std::vector<torch::Tensor> parameters() const override { return {weight_, bias_}; }
  void to(torch::Device) override {}
  void train_mode(bool on) override { training_ = on; }

  SafeTensors weights() const override {
    SafeTensors file;
    const auto put = [&](const std::string& name, const torch::Tensor& tensor) {
      const float* values = tensor.data_ptr<float>();
      file.tensors[name] = {tensor.sizes().vec(), {values, values + tensor.numel()}};
    };
    put("weight", weight_);
    put("bias", bias_);
    file.metadata["model"] = "linear";
    return file;
  }
  void load_weights(const SafeTensors& file, const std::string&) override {
    const torch::NoGradGuard no_grad;
    const auto take = [&](const std::string& name, torch::Tensor& tensor) {
      const Tensor& stored = file.tensors.at(name);
      tensor.copy_(torch::tensor(stored.values).reshape(stored.shape));
    };
    take("weight", weight_);
    take("bias", bias_);
  }

  int nan_loss_at = 0;  // count of training calls, from 1; 0: never
  int nan_gradient_at = 0;
  int nan_validation_at = 0;
  int training_calls = 0;
  int validation_calls = 0;

 private:
  static LineModelSpec spec_of(const HoughGrid& grid) {
    LineModelSpec spec;
    spec.name = "linear";
    spec.grid = grid;
    return spec;
  }

  torch::Tensor weight_;
  torch::Tensor bias_;
  bool training_ = true;
};

}  // namespace vsmax::testing
