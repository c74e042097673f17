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
  for (const auto& field : config_fields()) {
    const std::string own = section_of(field.key);
    if (own == section) known.insert(field.key.substr(own.empty() ? 0 : own.size() + 1));
    if (section.empty() && !own.empty()) sections.insert(own);
  }
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

void read_field(const ConfigField& field, const YAML::Node& node, const std::string& name,
                TrainConfig& config) {
  if (field.applies_to(config.model)) return field.read(config, ConfigValue(name, field.key, node));
  std::vector<std::string> models;
  for (const ModelSpec& spec : named_specs())
    if (spec.learns() && field.applies_to(spec)) models.push_back(spec.name);
  throw Error(fmt::format("{}: {} (= {}) applies only to {}, but the model is {}", name, field.key,
                          shown(node), joined(models), config.model.name));
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
  for (const auto& field : config_fields()) {
    const auto found = nodes.find(field.key);
    if (found != nodes.end()) read_field(field, found->second, name, config);
  }
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

void set_config(TrainConfig& config, const std::string& key, const std::string& yaml) {
  const std::string name = "configuration";
  for (const auto& field : config_fields())
    if (field.key == key) return read_field(field, parse_yaml(yaml, name), name, config);
  throw Error(fmt::format("{}: the key '{}' (= {}) is unknown", name, key, yaml));
}

Settings settings_of(const TrainConfig& config) {
  Settings settings;
  for (const auto& field : config_fields())
    if (field.applies_to(config.model)) settings.emplace_back(field.key, field.write(config));
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
