// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/suite_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {

SuitePart SuitePart::at(const std::string& key) const {
  const std::string place = place_.empty() ? key : place_ + "." + key;
  return {file_, place, has(key) ? node_[key] : YAML::Node(YAML::NodeType::Undefined)};
}

std::vector<std::pair<std::string, SuitePart>> SuitePart::entries() const {
  if (!node_.IsDefined() || node_.IsNull()) return {};
  if (!node_.IsMap()) reject("must hold keys, but is " + shown(node_));
  std::set<std::string> seen;
  std::vector<std::pair<std::string, SuitePart>> parts;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : shown(entry.first);
    const std::string place = place_.empty() ? key : place_ + "." + key;
    if (!seen.insert(key).second) reject("holds the key '" + key + "' twice");
    parts.emplace_back(key, SuitePart(file_, place, entry.second));
  }
  return parts;
}

std::vector<SuitePart> SuitePart::list() const {
  if (!node_.IsSequence()) return {*this};
  std::vector<SuitePart> parts;
  for (const auto& item : node_)
    parts.emplace_back(file_, fmt::format("{}[{}]", place_, parts.size()), item);
  return parts;
}

void SuitePart::require_keys(const std::vector<std::string>& known) const {
  for (const auto& [key, part] : entries())
    if (std::find(known.begin(), known.end(), key) == known.end())
      part.reject(fmt::format("(= {}) is unknown; known here: {}", shown(part.node_),
                              fmt::join(known, ", ")));
}

std::string SuitePart::text() const {
  if (!node_.IsDefined()) reject("is missing");
  if (!node_.IsScalar()) reject("must be a text, but is " + shown(node_));
  return node_.Scalar();
}

std::vector<double> SuitePart::numbers(const Range& range) const {
  if (!node_.IsDefined()) reject("is missing");
  std::vector<double> values;
  for (const SuitePart& part : list()) values.push_back(part.value().number(range));
  return values;
}

Json SuitePart::json() const {
  if (!node_.IsDefined() || node_.IsNull()) return nullptr;
  if (node_.IsMap()) {
    Json object = Json::object();
    for (const auto& [key, part] : entries()) object[key] = part.json();
    return object;
  }
  if (node_.IsSequence()) {
    Json array = Json::array();
    for (const SuitePart& part : list()) array.push_back(part.json());
    return array;
  }
  const bool quoted = node_.Tag() == "!";
  double number = 0.0;
  if (!quoted && YAML::convert<double>::decode(node_, number)) return number;
  bool flag = false;
  if (!quoted && YAML::convert<bool>::decode(node_, flag)) return flag;
  return node_.Scalar();
}

void SuitePart::reject(const std::string& sentence) const {
  throw Error(fmt::format("{}: {} {}", file_, place_.empty() ? "the suite" : place_, sentence));
}

SuitePart read_suite_file(const std::string& path) {
  const auto bytes = read_file(path);
  try {
    return {path, "", YAML::Load(std::string(bytes.begin(), bytes.end()))};
  } catch (const YAML::Exception& error) {
    throw Error(
        fmt::format("{}: line {} is not valid YAML ({})", path, error.mark.line + 1, error.msg));
  }
}

void merge_yaml(YAML::Node target, const YAML::Node& changes) {
  for (const auto& entry : changes) {
    const std::string key = entry.first.Scalar();
    if (entry.second.IsMap() && target[key].IsMap())
      merge_yaml(target[key], entry.second);
    else
      target[key] = YAML::Clone(entry.second);
  }
}

}  // namespace vsmax
