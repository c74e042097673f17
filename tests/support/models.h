// SPDX-License-Identifier: Apache-2.0
// Models to try, learned ones made of random weights, and what they find.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/random.h"
#include "support/reference_front_net.h"
#include "support/reference_net.h"
#include "vsmax/recover/line_recoverer.h"
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

// A model with learned evidence, of random weights.
inline SafeTensors front_model_file(Random& random) {
  SafeTensors file = model_file(random);
  for (auto& [key, tensor] : random_front(random).tensors) file.tensors[key] = tensor;
  ModelSpec spec = small_spec();
  spec.evidence = EvidenceKind::kLearned;
  spec.background = 1.5;
  spec.scale = 0.01;  // a wide distribution, whose mean passes near the centre
  file.metadata = metadata_from_spec(spec);
  return file;
}

// One of every kind.
inline std::vector<Model> every_model() {
  Random random;
  return {load_model("classic"), load_model("argmax"), learned_model(random, "vsmax-vs"),
          learned_model(random, "softargmax-vs"),
          model_from_safetensors(front_model_file(random), "fronted")};
}

inline void expect_same(const Recovery& a, const Recovery& b) {
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (std::size_t i = 0; i < a.lines.size(); ++i) {
    EXPECT_EQ(a.lines[i].line.theta, b.lines[i].line.theta);
    EXPECT_EQ(a.lines[i].line.rho, b.lines[i].line.rho);
    EXPECT_EQ(a.lines[i].confidence, b.lines[i].confidence);
  }
}

}  // namespace vsmax::test
