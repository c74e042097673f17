// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/line_model.h"

#include <ATen/Context.h>

#include <cmath>
#include <map>

#include "vsmax/base/error.h"
#include "vsmax/torch/models/module_model.h"

namespace vsmax {

namespace {

using Factory = std::unique_ptr<LineModel> (*)(const LineModelSpec&);

struct NamedFactory {
  const char* name;
  Factory make;
};

constexpr NamedFactory kModels[] = {
    {"vsmax-vs", make_refine_model},
    {"vsmax-polar", make_refine_model},
    {"softargmax-vs", make_refine_model},
    {"softargmax-polar", make_refine_model},
    {"mlp-vs", make_mlp_model},
    {"mlp-polar", make_mlp_model},
    {"rht", make_rht_model},
    {"argmax", make_argmax_model},
};

void require_positive(double value, const std::string& what) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error("the " + what + " must be positive and finite, not " + std::to_string(value));
}

}  // namespace

void use_reproducible_convolutions() {
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setAllowTF32CuDNN(false);
}

std::vector<std::string> line_model_names() {
  std::vector<std::string> names;
  for (const auto& model : kModels) names.emplace_back(model.name);
  return names;
}

std::unique_ptr<LineModel> make_line_model(const LineModelSpec& spec) {
  require_positive(spec.scale, "scale");
  require_positive(spec.temperature, "temperature");
  require_positive(spec.eigen_guard, "eigenvalue guard");
  require_positive(spec.target_width, "target width");
  use_reproducible_convolutions();
  for (const auto& model : kModels)
    if (spec.name == model.name) return model.make(spec);
  std::string names;
  for (const auto& name : line_model_names()) names += (names.empty() ? "" : ", ") + name;
  throw Error("there is no model '" + spec.name + "' (there are " + names + ")");
}

}  // namespace vsmax
