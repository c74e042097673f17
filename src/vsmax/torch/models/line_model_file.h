// SPDX-License-Identifier: Apache-2.0
// A model from its weights file alone: the metadata say what to build.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "vsmax/torch/models/line_model.h"

namespace vsmax {

// model, T, R, W, H, scale; temperature where it is not 1, target_width for rht.
std::map<std::string, std::string> metadata_from_spec(const LineModelSpec& spec);

// Throws Error that starts with `name` where an entry is missing or no number.
LineModelSpec spec_from_metadata(const SafeTensors& file, const std::string& name);

std::unique_ptr<LineModel> load_line_model(const SafeTensors& file, const std::string& name,
                                           bool bfloat16 = false);

}  // namespace vsmax
