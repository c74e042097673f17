// SPDX-License-Identifier: Apache-2.0
// The table of all keys of a configuration file: it is the format. Internal to train.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vsmax/torch/train/config.h"
#include "vsmax/torch/train/config_value.h"

namespace vsmax {

// One key: how it is read and how it is written.
struct ConfigField {
  std::string key;  // "section.key", or "key" at the top
  std::function<void(TrainConfig&, const ConfigValue&)> read;
  std::function<std::string(const TrainConfig&)> write;
  std::string only_model = {};  // or the part of its name before the dash; empty: all models

  bool applies_to(const std::string& model) const {
    return only_model.empty() || model == only_model || model.rfind(only_model + "-", 0) == 0;
  }
};

// `models` are the names that `model` may hold.
std::vector<ConfigField> config_fields(const std::vector<std::string>& models);

}  // namespace vsmax
