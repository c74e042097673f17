// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/yaml_file.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

Json json_of_scalar(const YAML::Node& node) {
  std::int64_t integer = 0;
  double number = 0.0;
  bool flag = false;
  if (node.Tag() == "!") return node.Scalar();  // quoted
  if (YAML::convert<std::int64_t>::decode(node, integer)) return integer;
  if (YAML::convert<double>::decode(node, number)) return number;
  if (YAML::convert<bool>::decode(node, flag)) return flag;
  return node.Scalar();
}

// "<<: *anchor" merges the keys of another map, which yaml-cpp leaves to its users.
Json with_merged_keys(Json object, const YAML::Mark& place) {
  const auto merged = object.find("<<");
  if (merged == object.end()) return object;
  Json all = *merged;
  object.erase("<<");
  if (!all.is_object()) throw YAML::Exception(place, "<< needs a map");
  for (const auto& [key, value] : object.items()) all[key] = value;
  return all;
}

Json json_of(const YAML::Node& node) {
  if (node.IsScalar()) return json_of_scalar(node);
  if (node.IsSequence()) {
    Json array = Json::array();
    for (const auto& item : node) array.push_back(json_of(item));
    return array;
  }
  if (!node.IsMap()) return nullptr;
  Json object = Json::object();
  for (const auto& entry : node) {
    const YAML::Node& key = entry.first;
    if (!key.IsScalar() || object.contains(key.Scalar()))
      throw YAML::Exception(key.Mark(), "a key that is repeated or not a string");
    object[key.Scalar()] = json_of(entry.second);
  }
  return with_merged_keys(std::move(object), node.Mark());
}

}  // namespace

Json read_yaml_file(const std::string& path) {
  const auto bytes = read_file(path);
  try {
    return json_of(YAML::Load(std::string(bytes.begin(), bytes.end())));
  } catch (const YAML::Exception& error) {
    throw Error(
        fmt::format("{}: line {} is not valid YAML ({})", path, error.mark.line + 1, error.msg));
  }
}

}  // namespace vsmax
