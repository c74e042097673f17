// SPDX-License-Identifier: Apache-2.0
// What a training run is told: one YAML file in which every key except `model` is optional. The
// defaults are the paper's protocol (its appendix "Training setup").
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/recover/model_spec.h"
#include "vsmax/torch/train/schedules.h"
#include "vsmax/torch/train/support_region.h"

namespace vsmax {

struct TrainConfig {
  ModelSpec model = named_spec("vsmax-vs");
  bool bfloat16 = false;   // the network's arithmetic on CUDA; weights stay float32
  std::string pretrained;  // kRegression only: a file of torchvision's resnet18; empty for none

  Support support = Support::kAll;
  double sigma_max = 0.5;
  int validation_samples = 1000;

  double learning_rate = 1e-4;
  double weight_decay = 1e-4;
  std::array<double, 2> betas{0.9, 0.999};

  PlateauSettings schedule;
  EarlyStoppingSettings early_stopping;

  int batch = 64;
  std::uint64_t seed = 42;
  int max_epochs = 1000;

  HoughGrid grid() const { return {*model.frame, model.bins->thetas, model.bins->rhos}; }
};

// The names of the models that learn.
std::vector<std::string> trainable_models();

// Throws Error, one sentence that starts with `name` and says which key holds which value, for an
// unknown key, a wrong type, or a value out of range.
TrainConfig parse_config(const std::string& text, const std::string& name);
TrainConfig read_config(const std::string& path);

// Every setting that applies to the model, as ("optimiser.learning_rate", "0.0001"), in the order
// of the file.
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings settings_of(const TrainConfig& config);

// The settings as a YAML text that parses to the same configuration. Results are kept under a hash
// of this text, so a change of its format makes them all outdated.
std::string config_text(const TrainConfig& config);

// The key that says how long to train, not how: a resumed run may change it.
inline constexpr const char* kMaxEpochsKey = "max_epochs";

}  // namespace vsmax
