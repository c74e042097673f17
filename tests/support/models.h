// SPDX-License-Identifier: Apache-2.0
// Learned models made of random weights.
#pragma once

#include <string>

#include "support/random.h"
#include "support/reference_net.h"
#include "vsmax/recover/model.h"

namespace vsmax::test {

// The model with a name, for images of 24 x 20 and on a small grid.
inline ModelSpec small_spec(const std::string& name = "vsmax-vs") {
  ModelSpec spec = named_spec(name);
  spec.frame = {24, 20};
  spec.bins = {11, 13};
  spec.scale = 0.25;
  return spec;
}

inline SafeTensors model_file(Random& random, const std::string& name = "vsmax-vs") {
  SafeTensors file = file_of(random_layers(random));
  file.metadata = metadata_from_spec(small_spec(name));
  return file;
}

inline Model learned_model(Random& random, const std::string& name = "vsmax-vs") {
  return model_from_safetensors(model_file(random, name), "learned");
}

}  // namespace vsmax::test
