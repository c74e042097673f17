// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/model_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/base/number_text.h"
#include "vsmax/hough/grid.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {
namespace {

template <class Value>
using Names = std::vector<std::pair<Value, const char*>>;

const Names<EvidenceKind> kEvidence{{EvidenceKind::kIntensity, "intensity"},
                                    {EvidenceKind::kEdges, "edges"},
                                    {EvidenceKind::kLearned, "learned"}};
const Names<Refinement> kRefinements{{Refinement::kNone, "none"},
                                     {Refinement::kWhitening, "whitening"},
                                     {Refinement::kNetwork, "network"},
                                     {Refinement::kPosterior, "posterior"}};
const Names<Readout> kReadouts{{Readout::kArgmax, "argmax"},
                               {Readout::kSoftArgmax, "softargmax"},
                               {Readout::kVeronese, "vsmax"},
                               {Readout::kHeatMap, "rht"},
                               {Readout::kRegression, "mlp"}};
const Names<Loss> kLosses{{Loss::kNone, "none"},
                          {Loss::kPolar, "polar"},
                          {Loss::kVeronese, "vs"},
                          {Loss::kHeatMap, "heatmap"}};
const Names<Cover> kCovers{{Cover::kSingle, "single"}, {Cover::kDouble, "double"}};
const Names<bool> kLines{{false, "one"}, {true, "several"}};
const Names<RhoUnit> kRhoUnits{{RhoUnit::kHalfDiagonal, "half_diagonal"},
                               {RhoUnit::kHalfWidth, "half_width"},
                               {RhoUnit::kPixel, "pixel"},
                               {RhoUnit::kBin, "bin"}};
const Names<HeatComponent> kComponents{{HeatComponent::kStrongest, "strongest"},
                                       {HeatComponent::kFirst, "first"}};

template <class Value>
std::string name_in(const Names<Value>& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return {};
}

// The entries of one file's metadata.
class Reader {
 public:
  Reader(const Metadata& metadata, const std::string& file) : metadata_(metadata), file_(file) {}

  bool has(const std::string& key) const { return metadata_.count(key) != 0; }

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end())
      throw Error(file_ + ": the metadata lacks '" + key + "', so this is not a vsmax model");
    return found->second;
  }

  template <class Number>
  Number number(const std::string& key) const {
    const std::string& written = text(key);
    Number value{};
    const auto [end, status] = parse_number(written, value);
    if (status != std::errc() || end != written.data() + written.size())
      throw Error(file_ + ": the metadata's " + key + " is '" + written +
                  "', which is not a number");
    return value;
  }

  double positive(const std::string& key) const {
    const auto value = number<double>(key);
    if (!(value > 0.0) || !std::isfinite(value))
      throw Error(file_ + ": the metadata's " + key + " is " + text(key) +
                  ", but must be positive and finite");
    return value;
  }

  template <class Value>
  Value choice(const std::string& key, const Names<Value>& names) const {
    std::string known;
    for (const auto& [value, name] : names) {
      if (text(key) == name) return value;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw Error(file_ + ": the " + key + " '" + text(key) + "' is unknown; known are " + known);
  }

 private:
  const Metadata& metadata_;
  const std::string& file_;
};

ModelSpec unlearned(const char* name, Refinement refinement, Readout readout) {
  ModelSpec spec;
  spec.name = name;
  spec.refinement = refinement;
  spec.readout = readout;
  return spec;
}

ModelSpec learned(const char* name, Cover cover, Readout readout, Loss loss) {
  ModelSpec spec = unlearned(
      name, readout == Readout::kRegression ? Refinement::kNone : Refinement::kNetwork, readout);
  spec.cover = cover;
  spec.loss = loss;
  spec.frame = {256, 256};
  spec.bins = {127, 127};
  spec.scale = 1.0 / 64.0;
  return spec;
}

// What files from before version 0.1 leave out.
ModelSpec spec_of_old_file(const Reader& reader) {
  ModelSpec spec;
  spec.refinement = Refinement::kNetwork;
  if (reader.has("model")) {
    spec.name = reader.text("model");
    for (ModelSpec& named : named_specs())
      if (named.name == spec.name) spec = std::move(named);
  }
  spec.readout = reader.choice("readout", kReadouts);
  spec.cover = spec.readout == Readout::kVeronese ? Cover::kDouble : Cover::kSingle;
  return spec;
}

// Throws Error for a frame that is too large, or a grid that HoughGrid rejects.
void check_grid(const ModelSpec& spec, const std::string& file) {
  const ImageFrame& frame = *spec.frame;
  if (static_cast<double>(frame.width) * frame.height > static_cast<double>(kMaxPixels))
    throw Error(file + ": the metadata's " + std::to_string(frame.width) + "x" +
                std::to_string(frame.height) + " pixels exceed the limit of " +
                std::to_string(kMaxPixels));
  try {
    static_cast<void>(HoughGrid(frame, spec.bins->thetas, spec.bins->rhos));
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
}

}  // namespace

std::string to_string(EvidenceKind evidence) { return name_in(kEvidence, evidence); }
std::string to_string(Refinement refinement) { return name_in(kRefinements, refinement); }
std::string to_string(Readout readout) { return name_in(kReadouts, readout); }
std::string to_string(Loss loss) { return name_in(kLosses, loss); }
std::string to_string(Cover cover) { return name_in(kCovers, cover); }
std::string to_string(RhoUnit unit) { return name_in(kRhoUnits, unit); }

std::vector<ModelSpec> named_specs() {
  ModelSpec classic = unlearned("classic", Refinement::kWhitening, Readout::kVeronese);
  classic.polarity = Polarity::kAuto;
  ModelSpec precise = unlearned("default", Refinement::kPosterior, Readout::kVeronese);
  precise.polarity = Polarity::kAuto;
  ModelSpec edges = unlearned("edges", Refinement::kWhitening, Readout::kVeronese);
  edges.evidence = EvidenceKind::kEdges;
  return {
      learned("vsmax-vs", Cover::kDouble, Readout::kVeronese, Loss::kVeronese),
      learned("vsmax-polar", Cover::kDouble, Readout::kVeronese, Loss::kPolar),
      learned("softargmax-vs", Cover::kSingle, Readout::kSoftArgmax, Loss::kVeronese),
      learned("softargmax-polar", Cover::kSingle, Readout::kSoftArgmax, Loss::kPolar),
      learned("mlp-vs", Cover::kSingle, Readout::kRegression, Loss::kVeronese),
      learned("mlp-polar", Cover::kSingle, Readout::kRegression, Loss::kPolar),
      learned("rht", Cover::kSingle, Readout::kHeatMap, Loss::kHeatMap),
      unlearned("argmax", Refinement::kNone, Readout::kArgmax),
      std::move(classic),
      std::move(precise),
      std::move(edges),
  };
}

ModelSpec named_spec(const std::string& name) {
  std::string names;
  for (ModelSpec& spec : named_specs()) {
    if (spec.name == name) return std::move(spec);
    names += (names.empty() ? "" : ", ") + spec.name;
  }
  throw Error("there is no model '" + name + "' (there are " + names + ")");
}

Metadata metadata_from_spec(const ModelSpec& spec) {
  Metadata metadata{{"model", spec.name},
                    {"refinement", to_string(spec.refinement)},
                    {"cover", to_string(spec.cover)},
                    {"readout", to_string(spec.readout)},
                    {"loss", to_string(spec.loss)},
                    {"scale", decimal(spec.scale)}};
  if (spec.frame) {
    metadata["W"] = std::to_string(spec.frame->width);
    metadata["H"] = std::to_string(spec.frame->height);
  }
  if (spec.bins) {
    metadata["T"] = std::to_string(spec.bins->thetas);
    metadata["R"] = std::to_string(spec.bins->rhos);
  }
  if (spec.evidence != EvidenceKind::kIntensity) metadata["evidence"] = to_string(spec.evidence);
  if (spec.background) metadata["background"] = decimal(*spec.background);
  if (spec.several) metadata["lines"] = name_in(kLines, spec.several);
  if (spec.temperature != 1.0) metadata["temperature"] = decimal(spec.temperature);
  if (spec.rho_unit != RhoUnit::kHalfDiagonal) metadata["rho_unit"] = to_string(spec.rho_unit);
  if (spec.readout == Readout::kHeatMap) metadata["target_width"] = decimal(spec.target_width);
  if (spec.heat_component != HeatComponent::kStrongest)
    metadata["component"] = name_in(kComponents, spec.heat_component);
  return metadata;
}

ModelSpec spec_from_metadata(const Metadata& metadata, const std::string& file) {
  const Reader reader(metadata, file);
  ModelSpec spec;
  if (reader.has("refinement")) {
    spec.name = reader.text("model");
    spec.refinement = reader.choice("refinement", kRefinements);
    spec.cover = reader.choice("cover", kCovers);
    spec.readout = reader.choice("readout", kReadouts);
    spec.loss = reader.choice("loss", kLosses);
  } else {
    spec = spec_of_old_file(reader);
  }
  if (reader.has("evidence")) spec.evidence = reader.choice("evidence", kEvidence);
  if (reader.has("background")) spec.background = reader.number<double>("background");
  if (reader.has("lines")) spec.several = reader.choice("lines", kLines);
  spec.scale = reader.positive("scale");
  if (reader.has("temperature")) spec.temperature = reader.positive("temperature");
  if (reader.has("target_width")) spec.target_width = reader.positive("target_width");
  if (reader.has("rho_unit")) spec.rho_unit = reader.choice("rho_unit", kRhoUnits);
  if (reader.has("component")) spec.heat_component = reader.choice("component", kComponents);
  spec.frame = {reader.number<int>("W"), reader.number<int>("H")};
  spec.bins = {reader.number<int>("T"), reader.number<int>("R")};
  check_grid(spec, file);
  return spec;
}

}  // namespace vsmax
