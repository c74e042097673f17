// SPDX-License-Identifier: Apache-2.0
// Internal: what all models share that are made of one module.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <utility>

#include "vsmax/torch/models/line_model.h"

namespace vsmax {

class ModuleModel : public LineModel {
 public:
  PredictedLines predict(const torch::Tensor& images) final;
  std::vector<torch::Tensor> parameters() const final { return module_->parameters(); }
  void to(torch::Device device) final { module_->to(device); }
  void train_mode(bool on) final { module_->train(on); }
  SafeTensors weights() const final;
  void load_weights(const SafeTensors& file, const std::string& name) final;

  torch::nn::Module& module() { return *module_; }

 protected:
  // readout: what the weights file calls it.
  ModuleModel(LineModelSpec spec, std::string readout, std::shared_ptr<torch::nn::Module> module)
      : LineModel(std::move(spec)), readout_(std::move(readout)), module_(std::move(module)) {}

 private:
  // Called without gradients and in evaluation mode.
  virtual PredictedLines lines(const torch::Tensor& images) = 0;

  std::string readout_;
  std::shared_ptr<torch::nn::Module> module_;
};

// Equal runs must end in equal files, and float32 is to mean float32: no convolution that adds in
// an order of its own, none picked by a stopwatch, none that rounds its input to ten bits.
// A setting of the whole process; every model makes it.
void use_reproducible_convolutions();

// The factories behind make_line_model, each for the names it says.
std::unique_ptr<LineModel> make_refine_model(const LineModelSpec& spec);  // vsmax-*, softargmax-*
std::unique_ptr<LineModel> make_mlp_model(const LineModelSpec& spec);     // mlp-*
std::unique_ptr<LineModel> make_rht_model(const LineModelSpec& spec);     // rht
std::unique_ptr<LineModel> make_argmax_model(const LineModelSpec& spec);  // argmax

}  // namespace vsmax
