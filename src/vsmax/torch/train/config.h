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
#include "vsmax/torch/photos/augmentation.h"
#include "vsmax/torch/train/schedules.h"
#include "vsmax/torch/train/support_region.h"

namespace vsmax {

// Which labels of a folder are the truth.
enum class PhotoLabels {
  kOne,    // the only line of each image
  kGuide,  // of all rows the one that meets the bottom edge nearest to its middle
  kAll,    // every line; the model learns to find several
};

inline constexpr std::array<const char*, 3> kPhotoLabelNames{"one", "guide", "all"};

// Which photographs are held out for validation.
enum class HoldOut {
  kLast,    // the last ones by name
  kSpread,  // some in equal steps over all names
};

struct PhotoData {
  PhotoLabels labels = PhotoLabels::kOne;
  double scenes = 0.0;      // share of synthetic scenes in every batch
  double tilt = 20.0;       // of their horizons at most, in degrees
  double cuts = 0.0;        // share of synthetic pictures with several lines
  double crop_rows = 0.0;   // share of synthetic crop rows
  double blanks = 0.0;      // share of images without a line
  int steps = 50;           // per epoch
  double validation = 0.1;  // share of the photographs held out
  HoldOut hold_out = HoldOut::kLast;
  int folds = 5;
  int fold = 0;  // held out altogether, from 1; 0: none
};

// What the validation measures: it decides which weights are kept, when the learning rate falls and
// when training ends.
enum class Selection {
  kLoss,   // the loss, as in the paper
  kScore,  // 1 - the mean EA-score
};

struct TrainConfig {
  ModelSpec model = named_spec("vsmax-vs");
  bool bfloat16 = false;   // the network's arithmetic on CUDA; weights stay float32
  std::string pretrained;  // kRegression: torchvision's resnet18; learned evidence: a model of the
                           // same kind; empty for none

  // The paper's lines, for models that vote with the image itself.
  Support support = Support::kAll;
  double sigma_max = 0.5;
  int validation_samples = 1000;
  Selection selection = Selection::kLoss;

  // Photographs, for models with learned evidence.
  PhotoData photos;
  Augmentation augmentation;

  double learning_rate = 1e-4;
  double weight_decay = 1e-4;
  std::array<double, 2> betas{0.9, 0.999};
  double clip = 0.0;     // greatest norm of the gradient; 0: none
  double average = 0.0;  // decay of the running mean of the weights; 0: none

  PlateauSettings schedule;
  CosineSettings cosine;  // instead of the plateau's, with learned evidence
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
