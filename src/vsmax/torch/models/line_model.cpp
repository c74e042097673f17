// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/line_model.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/torch/models/model_families.h"
#include "vsmax/torch/models/weights.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax {
namespace {

HoughGrid grid_of(const ModelSpec& spec) {
  if (!spec.frame || !spec.bins)
    throw Error("the model '" + spec.name + "' lacks an image size or the bins of its grid");
  return {*spec.frame, spec.bins->thetas, spec.bins->rhos};
}

std::string grid_text(const HoughGrid& grid) {
  return std::to_string(grid.frame().width) + "x" + std::to_string(grid.frame().height) +
         " pixels on a " + std::to_string(grid.thetas()) + "x" + std::to_string(grid.rhos()) +
         " grid";
}

void require_positive(double value, const std::string& what) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error("the " + what + " must be positive and finite, not " + std::to_string(value));
}

// Evaluation mode within a scope.
class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& module)
      : module_(module), was_training_(module.is_training()) {
    module_.eval();
  }
  ~EvaluationMode() { module_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& module_;
  bool was_training_;
};

}  // namespace

LineModel::LineModel(ModelSpec spec, std::shared_ptr<torch::nn::Module> module)
    : spec_(std::move(spec)), grid_(grid_of(spec_)), module_(std::move(module)) {}

void LineModel::check_size(const torch::Tensor& images) const {
  const ImageFrame& frame = grid_.frame();
  const bool colour = spec_.evidence == EvidenceKind::kLearned;
  TORCH_CHECK(images.dim() == (colour ? 4 : 3) && (!colour || images.size(1) == 3) &&
                  images.size(-2) == frame.height && images.size(-1) == frame.width,
              "the model is for ", colour ? "colour " : "", "images of ", frame.width, "x",
              frame.height, " pixels, not for the shape ", images.sizes());
}

torch::Tensor LineModel::accumulators(const torch::Tensor& images) const {
  return ops::hough(images, grid_.thetas(), grid_.rhos());
}

torch::Tensor LineModel::share_of_mean(const torch::Tensor& mean, const torch::Tensor& part,
                                       const torch::Tensor& whole) {
  if (whole.is_same(part)) return mean;
  return mean * (static_cast<double>(part.size(0)) / static_cast<double>(whole.size(0)));
}

torch::Tensor LineModel::loss(const torch::Tensor& images, const torch::Tensor& truth,
                              const torch::Tensor& whole) {
  check_size(images);
  return loss_of(images, truth, whole.defined() ? whole : truth);
}

PredictedLines LineModel::predict(const torch::Tensor& images) {
  check_size(images);
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation(*module_);
  return lines_of(images);
}

SafeTensors LineModel::weights() const {
  SafeTensors file;
  file.metadata = metadata_from_spec(spec_);
  store_weights(*module_, file);
  return file;
}

void LineModel::load_weights(const SafeTensors& file, const std::string& name) {
  const ModelSpec stored = spec_from_metadata(file.metadata, name);
  if (stored.name != spec_.name)
    throw Error(name + ": holds the model '" + stored.name + "', not '" + spec_.name + "'");
  if (!(grid_of(stored) == grid_))
    throw Error(name + ": is for " + grid_text(grid_of(stored)) + ", not for " + grid_text(grid_));
  if (stored.scale != spec_.scale)
    throw Error(name + ": has the scale " + file.metadata.at("scale") + ", not " +
                metadata_from_spec(spec_).at("scale"));
  restore_weights(*module_, file, name);
}

std::unique_ptr<LineModel> make_line_model(const ModelSpec& spec, bool bfloat16) {
  require_positive(spec.scale, "scale");
  require_positive(spec.temperature, "temperature");
  require_positive(spec.eigen_guard, "eigenvalue guard");
  require_positive(spec.target_width, "target width");
  use_reproducible_convolutions();
  switch (spec.readout) {
    case Readout::kArgmax:
      return make_argmax_model(spec);
    case Readout::kSoftArgmax:
    case Readout::kVeronese:
      return make_refine_pipeline(spec, bfloat16);
    case Readout::kHeatMap:
      return make_rht_model(spec, bfloat16);
    case Readout::kRegression:
      return make_mlp_model(spec, bfloat16);
  }
  throw Error("the model '" + spec.name + "' has no readout");
}

std::unique_ptr<LineModel> load_line_model(const SafeTensors& file, const std::string& name,
                                           bool bfloat16) {
  auto model = make_line_model(spec_from_metadata(file.metadata, name), bfloat16);
  model->load_weights(file, name);
  return model;
}

void use_reproducible_convolutions() {
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setAllowTF32CuDNN(false);
}

}  // namespace vsmax
