// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/config_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

// The whole scalar as a number, or false: "64 images" is not 64.
template <class Number>
bool parse_whole(const YAML::Node& node, Number& value) {
  if (!node.IsScalar()) return false;
  const std::string& text = node.Scalar();
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && stop == end;
}

}  // namespace

std::string shown(const YAML::Node& node) {
  if (node.IsNull()) return "empty";
  YAML::Emitter emitter;
  emitter << YAML::Flow << node;
  std::string text = emitter.c_str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text.empty() ? "''" : text;
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string Range::text() const {
  return fmt::format("a number {} {} and at most {}", above ? "above" : "of at least", low, high);
}

void ConfigValue::reject(const std::string& expected) const {
  throw Error(fmt::format("{}: {} must be {}, but is {}", file_, key_, expected, shown(node_)));
}

double ConfigValue::number(const Range& range) const {
  double value = 0.0;
  if (!parse_whole(node_, value) || !range.holds(value)) reject(range.text());
  return value;
}

int ConfigValue::integer(int low, int high) const {
  int value = 0;
  if (!parse_whole(node_, value) || value < low || value > high)
    reject(fmt::format("a whole number from {} to {}", low, high));
  return value;
}

std::uint64_t ConfigValue::unsigned_integer() const {
  std::uint64_t value = 0;
  if (!parse_whole(node_, value)) reject("a whole number from 0 to 2^64 - 1");
  return value;
}

std::size_t ConfigValue::choice(std::span<const std::string> choices) const {
  if (node_.IsScalar()) {
    const auto found = std::find(choices.begin(), choices.end(), node_.Scalar());
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  }
  reject("one of " + joined(choices));
}

std::string ConfigValue::file_name() const {
  if (!node_.IsScalar() || node_.Scalar().empty()) reject("the name of a file");
  return node_.Scalar();
}

std::vector<ConfigValue> ConfigValue::pair() const {
  if (!node_.IsSequence() || node_.size() != 2) reject("a list of two numbers such as [a, b]");
  return {{file_, key_ + "[0]", node_[0]}, {file_, key_ + "[1]", node_[1]}};
}

}  // namespace vsmax
