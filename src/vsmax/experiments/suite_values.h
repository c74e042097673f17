// SPDX-License-Identifier: Apache-2.0
// Internal: the values of a suite's file. Every complaint names the file, the place and the value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/experiments/yaml_file.h"

namespace vsmax {

// whole[key], or null if there is none.
const Json& part(const Json& whole, const std::string& key);

// A single value is a list of one.
Json list_of(const Json& value);

template <class Values>
bool contains(const Values& values, const typename Values::value_type& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

class SuiteValues {
 public:
  explicit SuiteValues(std::string path) : path_(std::move(path)) {}

  // Throws Error, as all below do.
  [[noreturn]] void reject(const std::string& place, const std::string& sentence) const;

  void require_keys(const Json& value, const std::string& place,
                    const std::vector<std::string>& known) const;
  void require_file_name(const std::string& name, const std::string& place) const;
  void require_number_or_text(const Json& value, const std::string& place) const;

  std::string text(const Json& value, const std::string& place) const;
  std::vector<double> sigmas(const Json& values, const std::string& place) const;
  std::vector<std::uint64_t> whole_numbers(const Json& values, const std::string& place) const;
  std::uint64_t whole_number(const Json& value, const std::string& place, std::uint64_t least = 0,
                             std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  // owner[key], above 0; `otherwise` if there is none.
  double positive(const Json& owner, const char* key, double otherwise, const std::string& place,
                  double most = std::numeric_limits<double>::infinity()) const;

 private:
  std::string path_;
};

}  // namespace vsmax
