// SPDX-License-Identifier: Apache-2.0
// Every model of the paper behind one interface: images in, a loss to minimise, lines out.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/recover/model_spec.h"
#include "vsmax/torch/models/predicted_lines.h"

namespace vsmax {

class LineModel {
 public:
  LineModel(const LineModel&) = delete;
  LineModel& operator=(const LineModel&) = delete;
  virtual ~LineModel() = default;

  const ModelSpec& spec() const { return spec_; }
  const HoughGrid& grid() const { return grid_; }

  // The mean over the batch of the model's loss. images: [B, H, W] float32, or [B, 3, H, W] with
  // learned evidence; truth: [B, 2] float32, (theta, rho / D), on the same device, or [B, K, 2] for
  // a model of several lines; with learned evidence, NaN for no line. If the images are part of a
  // batch, `whole` is the truth of that batch, and the losses of all its parts add up to that of
  // the batch (except through batch norm). Throws Error for a model that does not learn.
  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth,
                     const torch::Tensor& whole = {});

  // Without gradients and in evaluation mode.
  PredictedLines predict(const torch::Tensor& images);

  std::vector<torch::Tensor> parameters() const { return module_->parameters(); }
  std::vector<torch::Tensor> buffers() const { return module_->buffers(); }  // of batch norm
  void to(torch::Device device) { module_->to(device); }
  void train_mode(bool on) { module_->train(on); }

  // All weights and batch-norm statistics, with the spec as metadata.
  SafeTensors weights() const;
  // Throws Error that starts with `name`, and changes nothing, if the file holds another model.
  void load_weights(const SafeTensors& file, const std::string& name);

 protected:
  // Throws Error for a spec without image size or grid.
  LineModel(ModelSpec spec, std::shared_ptr<torch::nn::Module> module);

  bool is_training() const { return module_->is_training(); }
  torch::Tensor accumulators(const torch::Tensor& images) const;
  // Turns the mean over a part into its share of the mean over the whole batch.
  static torch::Tensor share_of_mean(const torch::Tensor& mean, const torch::Tensor& part,
                                     const torch::Tensor& whole);

 private:
  virtual torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth,
                                const torch::Tensor& whole) = 0;
  virtual PredictedLines lines_of(const torch::Tensor& images) = 0;

  void check_size(const torch::Tensor& images) const;

  ModelSpec spec_;
  HoughGrid grid_;
  std::shared_ptr<torch::nn::Module> module_;
};

// Takes the spec of any model that learns, and of argmax. Initial weights are drawn from torch's
// global generator: seed it first. With `bfloat16` the network computes in bfloat16 on CUDA; its
// weights stay float32. Throws Error.
std::unique_ptr<LineModel> make_line_model(const ModelSpec& spec, bool bfloat16 = false);

// From the content of a weights file, whose metadata says what to build.
std::unique_ptr<LineModel> load_line_model(const SafeTensors& file, const std::string& name,
                                           bool bfloat16 = false);

// The paper fine-tunes ImageNet weights. Loads torchvision's resnet18 from a safetensors file into
// the trunk of an MLP model, ignoring its classifier and batch counters. Throws Error if `model` is
// not an MLP, or if a tensor is missing or has the wrong shape.
void load_pretrained_trunk(LineModel& model, const SafeTensors& file, const std::string& name);

// Makes equal runs end in equal files, and float32 mean float32: excludes convolution algorithms
// that sum in an arbitrary order, are picked by timing, or round their inputs to TF32's ten bits of
// mantissa. Applies to the whole process; make_line_model calls it.
void use_reproducible_convolutions();

}  // namespace vsmax
