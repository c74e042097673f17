// SPDX-License-Identifier: Apache-2.0
// A part of a suite's file, with its place in it for error messages. Internal to the suite.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vsmax/experiments/run_results.h"
#include "vsmax/torch/train/config_value.h"

namespace vsmax {

class SuitePart {
 public:
  SuitePart(std::string file, std::string place, YAML::Node node)
      : file_(std::move(file)), place_(std::move(place)), node_(std::move(node)) {}
  SuitePart(const SuitePart&) = default;
  SuitePart& operator=(const SuitePart&) = delete;  // yaml-cpp's changes the node that is shared

  const YAML::Node& node() const { return node_; }
  const std::string& place() const { return place_; }
  bool has(const std::string& key) const { return node_.IsMap() && node_[key].IsDefined(); }

  // The part under a key, undefined if it is not there.
  SuitePart at(const std::string& key) const;

  // All keys and their parts. Throws Error for a repeated key, and for anything but a map; an empty
  // part is an empty map.
  std::vector<std::pair<std::string, SuitePart>> entries() const;
  std::vector<SuitePart> list() const;  // a single value is a list of one

  void require_keys(const std::vector<std::string>& known) const;

  ConfigValue value() const { return {file_, place_, node_}; }
  std::string text() const;
  std::vector<double> numbers(const Range& range) const;
  Json json() const;

  // "FILE: PLACE SENTENCE".
  [[noreturn]] void reject(const std::string& sentence) const;

 private:
  std::string file_;
  std::string place_;
  YAML::Node node_;
};

// The whole file. Throws Error if it cannot be read or is not YAML.
SuitePart read_suite_file(const std::string& path);

// Sets every value of `changes` in `target`, as deep as they are nested.
void merge_yaml(YAML::Node target, const YAML::Node& changes);

}  // namespace vsmax
