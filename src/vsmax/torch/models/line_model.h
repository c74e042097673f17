// SPDX-License-Identifier: Apache-2.0
// Every model of the paper behind one interface: images in, a loss to descend, lines out.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/io/safetensors.h"

namespace vsmax {

// What it takes to build a model; also what its weights file records.
struct LineModelSpec {
  std::string name = "vsmax-vs";  // one of line_model_names()
  HoughGrid grid = HoughGrid::paper();
  double scale = 1.0 / 64.0;  // before the refinement network
  double temperature = 1.0;   // of the softmax
  double eigen_guard = 1e-2;  // vsmax-polar alone (Eq. 23)
  double target_width = 3.0;  // rht alone: sigma_t, in bins
  bool bfloat16 = false;      // network arithmetic; weights stay float32
};

// Lines of a batch, on the CPU in double: theta in [0, pi), rho in units of D; found is false where
// a model gives no line (rht with nothing over its threshold).
struct PredictedLines {
  torch::Tensor theta;  // [B] float64
  torch::Tensor rho;    // [B] float64
  torch::Tensor found;  // [B] bool
};

class LineModel {
 public:
  virtual ~LineModel() = default;

  // images: [B, H, W] float32; truth: [B, 2] float32, (theta, rho / D), on the same device. The
  // mean over the batch of the model's own loss.
  virtual torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) = 0;

  virtual PredictedLines predict(const torch::Tensor& images) = 0;

  virtual std::vector<torch::Tensor> parameters() const = 0;  // those that train; may be empty
  virtual void to(torch::Device device) = 0;
  virtual void train_mode(bool on) = 0;

  // All weights and buffers that a file must hold (batch-norm statistics too), and the metadata
  // that names them: model, T, R, W, H, scale, readout.
  virtual SafeTensors weights() const = 0;
  virtual void load_weights(const SafeTensors& file, const std::string& name) = 0;

  const LineModelSpec& spec() const { return spec_; }

 protected:
  explicit LineModel(LineModelSpec spec) : spec_(std::move(spec)) {}
  LineModelSpec spec_;
};

// vsmax-vs, vsmax-polar, softargmax-vs, softargmax-polar, mlp-vs, mlp-polar, rht, argmax.
std::vector<std::string> line_model_names();

// Initial weights are drawn from torch's global generator: seed it first. Throws Error for an
// unknown name.
std::unique_ptr<LineModel> make_line_model(const LineModelSpec& spec);

}  // namespace vsmax
