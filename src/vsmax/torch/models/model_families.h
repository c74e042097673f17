// SPDX-License-Identifier: Apache-2.0
// Internal: one factory per family of models, for make_line_model.
#pragma once

#include <memory>

#include "vsmax/torch/models/line_model.h"

namespace vsmax {

std::unique_ptr<LineModel> make_argmax_model(const ModelSpec& spec);
std::unique_ptr<LineModel> make_mlp_model(const ModelSpec& spec, bool bfloat16);
std::unique_ptr<LineModel> make_refine_pipeline(const ModelSpec& spec, bool bfloat16);
std::unique_ptr<LineModel> make_rht_model(const ModelSpec& spec, bool bfloat16);

}  // namespace vsmax
