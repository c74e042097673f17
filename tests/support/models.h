// SPDX-License-Identifier: Apache-2.0
// Learned models made of random weights.
#pragma once

#include <string>

#include "support/random.h"
#include "support/reference_net.h"
#include "vsmax/recover/model.h"

namespace vsmax::test {

// A weights file for images of 24 x 20 and a small grid.
inline SafeTensors model_file(Random& random, const std::string& readout = "vsmax") {
  SafeTensors file = file_of(random_layers(random));
  file.metadata = {{"T", "11"}, {"R", "13"},       {"W", "24"},
                   {"H", "20"}, {"scale", "0.25"}, {"readout", readout}};
  return file;
}

inline Model learned_model(Random& random, const std::string& readout = "vsmax") {
  return model_from_safetensors(model_file(random, readout), "learned");
}

}  // namespace vsmax::test
