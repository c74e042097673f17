// SPDX-License-Identifier: Apache-2.0
// A model that is ready to run: its description and its weights, built in or read from a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vsmax/recover/model_spec.h"

namespace vsmax {

class Accelerator;
class FrontNet;
class RefineNet;
struct SafeTensors;

struct Model {
  std::string name;  // as requested: "paper", "run/model.safetensors"
  ModelSpec spec;
  std::shared_ptr<const FrontNet> front;  // null unless spec.evidence is kLearned
  std::shared_ptr<const RefineNet> net;   // null unless spec.refinement is kNetwork
  std::string warning;                    // something the user should know; empty if nothing
  // `auto`: every model states the EA-score it expects of its line, so that their answers can be
  // compared. The most confident candidate answers; the fallbacks are asked only if no candidate is
  // more likely right than wrong. If there are candidates, only these two members and `name`
  // matter.
  std::vector<Model> candidates;
  std::vector<Model> fallbacks;
  // Runs the Hough transform and the network instead of the CPU; usually null.
  std::shared_ptr<Accelerator> accelerator{};

  // Whether it makes use of an image's colours.
  bool sees_colour() const;
};

// A built-in model by its name, or else a weights file by its path. Throws Error.
Model load_model(const std::string& name_or_path);

// From the content of a weights file. Throws Error whose message starts with `name`.
Model model_from_safetensors(const SafeTensors& file, const std::string& name);

// A built-in model and what to say about it.
struct ModelDescription {
  std::string name;
  std::string sentence;
  // From `vsmax evaluate --model NAME` on all lines, clean and at sigma 0.6; empty for `auto` and
  // for the models of photographs, which are not made for thin lines.
  std::optional<double> clean_ea;
  std::optional<double> noisy_ea;
};
std::vector<ModelDescription> builtin_models();

}  // namespace vsmax
