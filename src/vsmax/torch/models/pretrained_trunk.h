// SPDX-License-Identifier: Apache-2.0
// The paper fine-tunes ImageNet weights. Who has them as a safetensors file can start from them.
#pragma once

#include <string>

#include "vsmax/torch/models/line_model.h"

namespace vsmax {

// Loads torchvision's resnet18 weights (float32; its classifier fc and its batch counters are
// passed over) into the trunk of mlp-vs or mlp-polar. Throws Error for another model, and where a
// tensor is missing or of the wrong shape.
void load_pretrained_trunk(LineModel& model, const SafeTensors& file, const std::string& name);

}  // namespace vsmax
