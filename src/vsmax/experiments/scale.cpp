// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/scale.h"

#include "vsmax/base/error.h"

namespace vsmax {

namespace {

Scale full_scale() {
  Scale scale;
  scale.name = "full";
  scale.protocol.bfloat16 = true;
  scale.seeds = {42, 43, 44, 45, 46};
  scale.sigmas = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  return scale;
}

// Learns little: it shows that every item runs, not what comes out.
Scale smoke_scale() {
  Scale scale;
  scale.name = "smoke";
  scale.protocol.image = {16, 16};
  scale.protocol.thetas = 15;
  scale.protocol.rhos = 15;
  scale.protocol.validation_samples = 16;
  scale.protocol.learning_rate = 1e-3;
  scale.protocol.batch = 8;
  scale.protocol.max_epochs = 2;
  scale.seeds = {42, 43};
  scale.sigmas = {0.0, 0.6};
  return scale;
}

}  // namespace

Scale scale_by_name(const std::string& name) {
  if (name == "full") return full_scale();
  if (name == "smoke") return smoke_scale();
  throw Error("the scale is full or smoke, not '" + name + "'");
}

}  // namespace vsmax
