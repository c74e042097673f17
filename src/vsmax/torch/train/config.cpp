// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/config.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>

#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/evidence/front_net.h"
#include "vsmax/io/file.h"
#include "vsmax/torch/train/config_fields.h"
#include "vsmax/torch/train/config_value.h"
#include "vsmax/torch/train/training_set.h"

namespace vsmax {
namespace {

std::string section_of(const std::string& key) {
  const auto dot = key.find('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

// For messages about a file that is not text.
std::string printable(std::string text) {
  for (char& letter : text)
    if (letter < ' ' || letter > '~') letter = '?';
  return text;
}

using Nodes = std::map<std::string, YAML::Node>;

// Collects the file's values by their full key; rejects unknown and repeated keys.
void collect(const YAML::Node& map, const std::string& section, const std::string& name,
             Nodes& nodes) {
  std::set<std::string> known;  // keys allowed at this level
  std::set<std::string> sections;
  TrainConfig any;
  visit_fields(any, [&](const std::string& key, auto&, const auto&, bool) {
    const std::string own = section_of(key);
    if (own == section) known.insert(key.substr(own.empty() ? 0 : own.size() + 1));
    if (section.empty() && !own.empty()) sections.insert(own);
  });
  known.insert(sections.begin(), sections.end());
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : shown(entry.first);
    const std::string full = section.empty() ? key : fmt::format("{}.{}", section, key);
    if (known.count(key) == 0)
      throw Error(fmt::format("{}: the key '{}' (= {}) is unknown; known here: {}", name, full,
                              shown(entry.second),
                              joined(std::vector<std::string>(known.begin(), known.end()))));
    if (!seen.insert(key).second)
      throw Error(fmt::format("{}: the key '{}' occurs twice", name, full));
    if (section.empty() && sections.count(key) != 0) {
      if (!entry.second.IsMap() && !entry.second.IsNull())
        throw Error(fmt::format("{}: {} must hold keys of its own, but is {}", name, key,
                                shown(entry.second)));
      if (entry.second.IsMap()) collect(entry.second, key, name, nodes);
    } else {
      nodes[full] = entry.second;
    }
  }
}

YAML::Node parse_yaml(const std::string& text, const std::string& name) {
  try {
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("{}: line {} is not valid YAML ({})", name, error.mark.line + 1,
                            printable(error.msg)));
  }
}

// Names the models, or the kind of evidence, that a key belongs to.
[[noreturn]] void reject_key(const std::string& key, const YAML::Node& node,
                             const std::string& name, const TrainConfig& config) {
  const auto applies_to = [&key](const TrainConfig& other) {
    bool found = false;
    visit_fields(other, [&](const std::string& its_key, auto&, const auto&, bool applies) {
      found = found || (its_key == key && applies);
    });
    return found;
  };
  TrainConfig other = config;
  const bool learned = config.model.evidence == EvidenceKind::kLearned;
  other.model.evidence = learned ? EvidenceKind::kIntensity : EvidenceKind::kLearned;
  const bool chosen = config.model.readout != Readout::kHeatMap;  // whose evidence is fixed
  if (chosen && applies_to(other))
    throw Error(fmt::format("{}: {} (= {}) applies only to {} evidence, but the evidence is {}",
                            name, key, shown(node), to_string(other.model.evidence),
                            to_string(config.model.evidence)));
  std::vector<std::string> models;
  for (const ModelSpec& spec : named_specs()) {
    other.model = spec;
    if (spec.learns() && applies_to(other)) models.push_back(spec.name);
  }
  throw Error(fmt::format("{}: {} (= {}) applies only to {}, but the model is {}", name, key,
                          shown(node), joined(models), config.model.name));
}

// Model and evidence first, because they decide which other keys apply.
void read_values(const Nodes& nodes, const std::string& name, TrainConfig& config) {
  const auto rank = [](const std::string& key) {
    return key == "model" ? 0 : (key == "evidence" ? 1 : 2);
  };
  for (const int now : {0, 1, 2})
    visit_fields(config, [&](const std::string& key, auto& value, const auto& kind, bool applies) {
      const auto found = nodes.find(key);
      if (found == nodes.end() || rank(key) != now) return;
      if (!applies) reject_key(key, found->second, name, config);
      kind.read(ConfigValue(name, key, found->second), value);
    });
}

// What the values mean together.
void check_together(TrainConfig& config) {
  if (config.model.evidence == EvidenceKind::kIntensity) {
    static_cast<void>(TrainingSet(config));
    return;
  }
  const ImageFrame& frame = *config.model.frame;
  constexpr int kGranule = FrontNet::kGranule;
  if (frame.width % kGranule != 0 || frame.height % kGranule != 0)
    throw Error(
        fmt::format("image (= [{}, {}]) must have sides that are multiples of {}, because "
                    "the front end halves them",
                    frame.width, frame.height, kGranule));
  config.model.several = config.photos.labels == PhotoLabels::kAll;
  if (config.photos.cuts > 0.0 && !config.model.several)
    throw Error(fmt::format(
        "data.cuts (= {}) adds pictures with several lines, which needs data.labels: all",
        config.photos.cuts));
  if (config.model.several && config.model.loss != Loss::kVeronese)
    throw Error(
        fmt::format("data.labels (= all) needs the model vsmax-vs, not {}", config.model.name));
  const PhotoData& data = config.photos;
  if (data.crop_rows > 0.0 && data.labels == PhotoLabels::kOne)
    throw Error(fmt::format(
        "data.crop_rows (= {}) adds pictures with several rows, which needs data.labels: guide or "
        "all",
        data.crop_rows));
  if (data.scenes + data.cuts + data.crop_rows + data.blanks > 1.0)
    throw Error(fmt::format(
        "data.scenes (= {}), data.cuts (= {}), data.crop_rows (= {}) and data.blanks (= {}) add up "
        "to more than the whole batch",
        data.scenes, data.cuts, data.crop_rows, data.blanks));
  if (config.photos.fold > config.photos.folds)
    throw Error(fmt::format("data.fold (= {}) is not one of {}", config.photos.fold,
                            counted(config.photos.folds, "fold")));
  // With flat logits of 0, a line is as likely as none.
  if (config.model.presence > 0.0 && !config.model.several)
    config.model.background =
        std::log(static_cast<double>(config.grid().shape(config.model.cover).count()));
}

}  // namespace

std::vector<std::string> trainable_models() {
  std::vector<std::string> names;
  for (const ModelSpec& spec : named_specs())
    if (spec.learns()) names.push_back(spec.name);
  return names;
}

TrainConfig parse_config(const std::string& text, const std::string& name) {
  const YAML::Node root = parse_yaml(text, name);
  if (!root.IsMap())
    throw Error(
        fmt::format("{}: a configuration holds keys such as 'model: vsmax-vs', but this is {}",
                    name, shown(root)));
  Nodes nodes;
  collect(root, "", name, nodes);
  if (nodes.count("model") == 0)
    throw Error(fmt::format("{}: the key 'model' is missing; it is one of {}", name,
                            joined(trainable_models())));
  TrainConfig config;
  read_values(nodes, name, config);
  try {
    check_together(config);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
  return config;
}

TrainConfig read_config(const std::string& path) {
  const auto bytes = read_file(path);
  return parse_config({bytes.begin(), bytes.end()}, path);
}

Settings settings_of(const TrainConfig& config) {
  Settings settings;
  visit_fields(config, [&](const char* key, const auto& value, const auto& kind, bool applies) {
    if (!applies) return;
    std::string text = kind.write(value);
    if (!text.empty()) settings.emplace_back(key, std::move(text));
  });
  return settings;
}

std::string config_text(const TrainConfig& config) {
  std::string text;
  std::string section;
  for (const auto& [key, value] : settings_of(config)) {
    const std::string own = section_of(key);
    if (own != section && !own.empty()) text += own + ":\n";
    section = own;
    text += own.empty() ? fmt::format("{}: {}\n", key, value)
                        : fmt::format("  {}: {}\n", key.substr(own.size() + 1), value);
  }
  return text;
}

}  // namespace vsmax
