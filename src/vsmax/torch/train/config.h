// SPDX-License-Identifier: Apache-2.0
// What a training run is told: one YAML file, every key optional but `model`. The defaults are the
// paper's protocol (its appendix "Training setup").
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/torch/train/early_stopping.h"
#include "vsmax/torch/train/plateau_schedule.h"
#include "vsmax/torch/train/support.h"

namespace vsmax {

struct TrainConfig {
  std::string model;
  ImageFrame image{256, 256};
  int thetas = 127;
  int rhos = 127;
  double scale = 1.0 / 64.0;  // of the accumulator, before the network
  bool bfloat16 = false;      // the network's arithmetic; weights stay float32
  double eigen_guard = 1e-2;  // vsmax-polar alone
  double target_width = 3.0;  // rht alone: deviation of the target, in bins

  std::string pretrained;  // mlp alone: a file of torchvision's resnet18, empty for none

  Support support = Support::kAll;
  double sigma_max = 0.5;
  int validation_samples = 1000;

  double learning_rate = 1e-4;
  double weight_decay = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.999;

  PlateauSettings schedule;
  EarlyStoppingSettings early_stopping;

  int batch = 64;
  std::uint64_t seed = 42;
  int max_epochs = 1000;

  HoughGrid grid() const { return {image, thetas, rhos}; }
};

// Throws Error, one sentence that starts with `name` and says which key holds which value, for an
// unknown key, a wrong type, or a value out of range. `models` are the names that `model` may hold.
TrainConfig parse_config(const std::string& text, const std::string& name,
                         const std::vector<std::string>& models);
TrainConfig read_config(const std::string& path, const std::vector<std::string>& models);

// Every setting that applies to the model, as ("optimiser.learning_rate", "0.0001"), in the order
// of the file.
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings settings_of(const TrainConfig& config);

// The settings as a YAML text that parses to the same configuration.
std::string config_text(const TrainConfig& config);

// The key that says how long to train, not how: a resumed run may change it.
inline constexpr const char* kMaxEpochsKey = "max_epochs";

}  // namespace vsmax
