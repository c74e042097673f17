// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/model.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "vsmax/base/error.h"
#include "vsmax/evidence/front_net.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/recover/builtin_weights.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {

std::vector<ModelDescription> builtin_models() {
  return {
      {"auto",
       "the most confident of default, horizon and photo-lines; edges if none of them is sure",
       {},
       {}},
      {"default",
       "thin lines, as precisely as the noise allows, with error estimates; nothing is learned",
       0.998, 0.994},
      {"classic", "whitened Hough transform and Veronese soft-argmax; nothing is learned", 0.998,
       0.980},
      {"edges", "steps between bright and dark areas, such as horizons; nothing is learned", 0.915,
       0.500},
      {"paper", "the paper's refinement network and Veronese soft-argmax, trained on its lines",
       0.990, 0.929},
      {"horizon",
       "the horizon in photographs: a learned front end, trained on scenes and photographs",
       {},
       {}},
      {"photo-lines",
       "the lines that structure a photograph: a learned front end, trained on synthetic pictures",
       {},
       {}},
      {"argmax", "plain Hough transform and the largest cell; the textbook method", 0.985, 0.599}};
}

bool Model::sees_colour() const {
  return front != nullptr || std::any_of(candidates.begin(), candidates.end(),
                                         [](const Model& model) { return model.sees_colour(); });
}

Model load_model(const std::string& name_or_path) {
  if (name_or_path == "auto") {
    Model model;
    model.name = name_or_path;
    for (const char* name : {"default", "horizon", "photo-lines"})
      model.candidates.push_back(load_model(name));
    model.fallbacks = {load_model("edges")};
    return model;
  }
  if (name_or_path == "default" || name_or_path == "classic" || name_or_path == "edges" ||
      name_or_path == "argmax")
    return {name_or_path, named_spec(name_or_path), nullptr, nullptr, "", {}, {}};
  const auto embedded = [&](std::span<const std::uint8_t> bytes) {
    return model_from_safetensors(parse_safetensors(bytes, name_or_path), name_or_path);
  };
  if (name_or_path == "paper") return embedded(paper_model_bytes());
  if (name_or_path == "horizon") return embedded(horizon_model_bytes());
  if (name_or_path == "photo-lines") return embedded(photo_lines_model_bytes());
  std::error_code failure;  // for example, the name is too long; reading the file reports it
  if (std::filesystem::is_directory(name_or_path, failure)) {
    const std::string inside = name_or_path + "/model.safetensors";
    throw Error(name_or_path + ": is a folder" +
                (std::filesystem::exists(inside, failure) ? "; its model is " + inside : ""));
  }
  // A word without a dot or slash was meant as a name; list the names there are.
  if (name_or_path.find_first_of("./") == std::string::npos) {
    std::string names;
    for (const auto& model : builtin_models()) names += (names.empty() ? "" : ", ") + model.name;
    throw Error("there is no built-in model '" + name_or_path + "' (built in: " + names +
                "; or give a .safetensors file)");
  }
  return model_from_safetensors(read_safetensors(name_or_path), name_or_path);
}

Model model_from_safetensors(const SafeTensors& file, const std::string& name) {
  Model model{name, spec_from_metadata(file.metadata, name), nullptr, nullptr, "", {}, {}};
  if (model.spec.needs_libtorch())
    throw Error(name + ": the model " + model.spec.name +
                " needs LibTorch and can only be scored on synthetic lines, with 'vsmax evaluate'");
  if (model.spec.refinement != Refinement::kNetwork)
    throw Error(name + ": the refinement '" + to_string(model.spec.refinement) +
                "' has no weights to load");
  const bool learned_evidence = model.spec.evidence == EvidenceKind::kLearned;
  for (const auto& [key, tensor] : file.tensors)
    if (!key.starts_with("refine.") && !(learned_evidence && key.starts_with("front.")))
      throw Error(name + ": the tensor '" + key + "' does not belong to the model");
  if (learned_evidence) model.front = std::make_shared<const FrontNet>(file, name);
  model.net = std::make_shared<const RefineNet>(file, name);
  if (!file.checksum_verified)
    model.warning = name + ": carries no checksum, so damage to it would go unnoticed";
  return model;
}

}  // namespace vsmax
