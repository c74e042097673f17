// SPDX-License-Identifier: Apache-2.0
// Internal: a value of a configuration file, read strictly. Anything that is not entirely of the
// expected type and within its range is an Error that names the file, the key and the value.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vsmax {

// The bounds of a number; `above` excludes the lower bound itself.
struct Range {
  double low = 0.0;
  double high = 0.0;
  bool above = false;

  bool holds(double value) const { return (above ? value > low : value >= low) && value <= high; }
  std::string text() const;
};

class ConfigValue {
 public:
  ConfigValue(std::string file, std::string key, const YAML::Node& node)
      : file_(std::move(file)), key_(std::move(key)), node_(node) {}

  double number(const Range& range) const;
  int integer(int low, int high) const;
  std::uint64_t unsigned_integer() const;
  // The index of the value in `choices`.
  std::size_t choice(std::span<const std::string> choices) const;
  std::string file_name() const;
  // The two items of a list.
  std::vector<ConfigValue> pair() const;

  // "must be EXPECTED, but is VALUE".
  [[noreturn]] void reject(const std::string& expected) const;

 private:
  std::string file_;
  std::string key_;
  YAML::Node node_;
};

// A node as it was written, on one line and shortened if it is long.
std::string shown(const YAML::Node& node);

std::string joined(std::span<const std::string> words);

}  // namespace vsmax
