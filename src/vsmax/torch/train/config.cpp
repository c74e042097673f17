// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/config.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "vsmax/base/error.h"
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

// Names the models that a key belongs to.
[[noreturn]] void reject_model(const std::string& key, const YAML::Node& node,
                               const std::string& name, const TrainConfig& config) {
  std::vector<std::string> models;
  for (const ModelSpec& spec : named_specs()) {
    TrainConfig other = config;
    other.model = spec;
    visit_fields(other, [&](const std::string& its_key, auto&, const auto&, bool applies) {
      if (spec.learns() && its_key == key && applies) models.push_back(spec.name);
    });
  }
  throw Error(fmt::format("{}: {} (= {}) applies only to {}, but the model is {}", name, key,
                          shown(node), joined(models), config.model.name));
}

// The model first, because it decides which other keys apply.
void read_values(const Nodes& nodes, const std::string& name, TrainConfig& config) {
  for (const bool model : {true, false})
    visit_fields(config, [&](const std::string& key, auto& value, const auto& kind, bool applies) {
      const auto found = nodes.find(key);
      if (found == nodes.end() || (key == "model") != model) return;
      if (!applies) reject_model(key, found->second, name, config);
      kind.read(ConfigValue(name, key, found->second), value);
    });
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
    static_cast<void>(TrainingSet(config));
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
    if (applies) settings.emplace_back(key, kind.write(value));
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
