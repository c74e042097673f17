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

// Of a file that is no text at all.
std::string printable(std::string text) {
  for (char& letter : text)
    if (letter < ' ' || letter > '~') letter = '?';
  return text;
}

using Nodes = std::map<std::string, YAML::Node>;

// The file's values by their full key; sections are opened, unknown and repeated keys refused.
void collect(const YAML::Node& map, const std::string& section,
             const std::vector<ConfigField>& table, const std::string& name, Nodes& nodes) {
  std::set<std::string> known;  // what may stand at this level
  std::set<std::string> sections;
  for (const auto& field : table) {
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
      if (entry.second.IsMap()) collect(entry.second, key, table, name, nodes);
    } else {
      nodes[full] = entry.second;
    }
  }
}

}  // namespace

TrainConfig parse_config(const std::string& text, const std::string& name,
                         const std::vector<std::string>& models) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("{}: line {} is not valid YAML ({})", name, error.mark.line + 1,
                            printable(error.msg)));
  }
  if (!root.IsMap())
    throw Error(
        fmt::format("{}: a configuration holds keys such as 'model: vsmax-vs', but this is {}",
                    name, shown(root)));
  const std::vector<ConfigField> table = config_fields(models);
  Nodes nodes;
  collect(root, "", table, name, nodes);
  if (nodes.count("model") == 0)
    throw Error(
        fmt::format("{}: the key 'model' is missing; it is one of {}", name, joined(models)));
  TrainConfig config;
  for (const auto& field : table) {
    const auto found = nodes.find(field.key);
    if (found == nodes.end()) continue;
    field.read(config, ConfigValue(name, field.key, found->second));
    if (!field.applies_to(config.model))
      throw Error(fmt::format("{}: {} (= {}) belongs to {} alone, but the model is {}", name,
                              field.key, shown(found->second), field.only_model, config.model));
  }
  try {
    static_cast<void>(TrainingSet(config));
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
  return config;
}

TrainConfig read_config(const std::string& path, const std::vector<std::string>& models) {
  const auto bytes = read_file(path);
  return parse_config({bytes.begin(), bytes.end()}, path, models);
}

Settings settings_of(const TrainConfig& config) {
  Settings settings;
  for (const auto& field : config_fields({}))
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
