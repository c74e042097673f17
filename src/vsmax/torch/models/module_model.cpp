// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/module_model.h"

#include <ATen/core/grad_mode.h>

#include "vsmax/base/error.h"
#include "vsmax/torch/models/line_model_file.h"
#include "vsmax/torch/models/module_weights.h"

namespace vsmax {

namespace {

// Evaluation mode for the length of a scope.
class Evaluating {
 public:
  explicit Evaluating(torch::nn::Module& module)
      : module_(module), was_training_(module.is_training()) {
    module_.eval();
  }
  ~Evaluating() { module_.train(was_training_); }
  Evaluating(const Evaluating&) = delete;
  Evaluating(Evaluating&&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;
  Evaluating& operator=(Evaluating&&) = delete;

 private:
  torch::nn::Module& module_;
  bool was_training_;
};

}  // namespace

PredictedLines ModuleModel::predict(const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  const Evaluating evaluating(*module_);
  return lines(images);
}

SafeTensors ModuleModel::weights() const {
  SafeTensors file;
  file.metadata = metadata_from_spec(spec_);
  file.metadata["readout"] = readout_;
  store_weights(*module_, file);
  return file;
}

void ModuleModel::load_weights(const SafeTensors& file, const std::string& name) {
  const LineModelSpec stored = spec_from_metadata(file, name);
  const auto grid_text = [](const HoughGrid& grid) {
    return std::to_string(grid.frame().width) + "x" + std::to_string(grid.frame().height) +
           " pixels on a " + std::to_string(grid.thetas()) + "x" + std::to_string(grid.rhos()) +
           " grid";
  };
  if (stored.name != spec_.name)
    throw Error(name + ": holds the model '" + stored.name + "', not '" + spec_.name + "'");
  if (!(stored.grid == spec_.grid))
    throw Error(name + ": is for " + grid_text(stored.grid) + ", not for " + grid_text(spec_.grid));
  if (stored.scale != spec_.scale)
    throw Error(name + ": has the scale " + file.metadata.at("scale") + ", not " +
                metadata_from_spec(spec_).at("scale"));
  require_no_other_weights(*module_, file, name);
  restore_weights(*module_, file, name);
}

}  // namespace vsmax
