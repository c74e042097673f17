// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "vsmax/base/error.h"
#include "vsmax/image/image.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/recover/model_metadata.h"
#include "vsmax/recover/paper_model.h"

namespace vsmax {

namespace {

// Bins of about 1.4 pixels, where a one-pixel line is sharp and noise still averages; no coarser
// than the paper's in theta; and no finer than what a large photograph can be searched in at once.
constexpr double kPixelsPerBin = 1.431;
constexpr int kLeastAngles = 127;
constexpr int kMostAngles = 255;
constexpr int kMostOffsets = 509;

Model classic_model() {
  Model model;
  model.name = "classic";
  return model;
}

Model argmax_model() {
  Model model;
  model.name = "argmax";
  model.refinement = Refinement::kNone;
  model.readout = Readout::kArgmax;
  return model;
}

// The model that a weights file says it is of; empty where it does not.
std::string trained_as(const SafeTensors& file) {
  const auto found = file.metadata.find("model");
  return found == file.metadata.end() ? "" : found->second;
}

Readout readout_from_name(const std::string& text, const std::string& name) {
  if (text == "vsmax") return Readout::kVeronese;
  if (text == "softargmax") return Readout::kSoftArgmax;
  throw Error(name + ": the readout '" + text + "' is unknown; vsmax and softargmax are known");
}

}  // namespace

HoughGrid Model::grid_for(const ImageFrame& frame) const {
  if (grid) return *grid;
  if (bins) return {frame, bins->thetas, bins->rhos};
  if (refinement == Refinement::kNone) return {frame, kLeastAngles, kLeastAngles};
  const int half_offsets = static_cast<int>(std::lround(frame.half_diagonal() / kPixelsPerBin));
  const int offsets = std::clamp(2 * half_offsets + 1, 3, kMostOffsets);
  const int angles = std::clamp((offsets + 1) / 2, kLeastAngles, kMostAngles);
  return {frame, angles, offsets};
}

std::vector<ModelDescription> builtin_models() {
  return {
      {"classic", "whitened Hough transform and Veronese soft-argmax; nothing is learned", 0.998,
       0.980},
      {"paper", "the paper's refinement network and Veronese soft-argmax, trained on its lines",
       0.990, 0.929},
      {"argmax", "plain Hough transform and the largest cell; the textbook method", 0.985, 0.599}};
}

Model load_model(const std::string& name_or_path) {
  if (name_or_path == "classic") return classic_model();
  if (name_or_path == "argmax") return argmax_model();
  if (name_or_path == "paper")
    return model_from_safetensors(parse_safetensors(paper_model_bytes(), "paper"), "paper");
  std::error_code failure;  // such as a name too long for a file: reading it will tell
  if (std::filesystem::is_directory(name_or_path, failure)) {
    const std::string inside = name_or_path + "/model.safetensors";
    throw Error(name_or_path + ": is a folder" +
                (std::filesystem::exists(inside, failure) ? "; its model is " + inside : ""));
  }
  // A word without a dot or slash was meant as a name; say which there are.
  if (name_or_path.find_first_of("./") == std::string::npos) {
    std::string names;
    for (const auto& model : builtin_models()) names += (names.empty() ? "" : ", ") + model.name;
    throw Error("there is no built-in model '" + name_or_path + "' (built in: " + names +
                "; or give a .safetensors file)");
  }
  return model_from_safetensors(read_safetensors(name_or_path), name_or_path);
}

bool needs_libtorch(const SafeTensors& file) {
  const std::string model = trained_as(file);
  return model == "rht" || model == "mlp-vs" || model == "mlp-polar";
}

Model model_from_safetensors(const SafeTensors& file, const std::string& name) {
  Model model;
  model.name = name;
  model.trained_as = trained_as(file);
  if (needs_libtorch(file))
    throw Error(name + ": the model " + model.trained_as +
                " runs on LibTorch alone, which only 'vsmax evaluate' goes to");
  const ModelMetadata metadata(file, name);
  model.refinement = Refinement::kNetwork;
  model.readout = readout_from_name(metadata.text("readout"), name);
  model.cover = model.readout == Readout::kVeronese ? Cover::kDouble : Cover::kSingle;
  model.scale = static_cast<float>(metadata.number("scale"));
  if (!std::isfinite(model.scale)) throw Error(name + ": the metadata's scale is not finite");
  if (metadata.has("temperature")) model.temperature = metadata.number("temperature");
  if (!(model.temperature > 0.0) || !std::isfinite(model.temperature))
    throw Error(name + ": the metadata's temperature is " + metadata.text("temperature") +
                ", but must be positive and finite");
  model.grid.emplace(metadata.grid());
  model.net.emplace(file, name);
  if (!file.checksum_verified)
    model.warning = name + ": carries no checksum, so damage to it would go unnoticed";
  return model;
}

}  // namespace vsmax
