// SPDX-License-Identifier: Apache-2.0
// Internal: the table of all keys of a configuration file, which defines its format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vsmax/torch/train/config.h"
#include "vsmax/torch/train/config_value.h"

namespace vsmax {

// One key: how it is read and written, and for which models.
struct ConfigField {
  std::string key;  // "section.key", or "key" at the top
  std::function<void(TrainConfig&, const ConfigValue&)> read;
  std::function<std::string(const TrainConfig&)> write;
  std::function<bool(const ModelSpec&)> applies_to = [](const ModelSpec&) { return true; };
};

const std::vector<ConfigField>& config_fields();

}  // namespace vsmax
