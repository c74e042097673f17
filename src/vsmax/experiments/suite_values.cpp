// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/suite_values.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "vsmax/base/error.h"

namespace vsmax {

const Json& part(const Json& whole, const std::string& key) {
  static const Json nothing;
  return whole.is_object() && whole.contains(key) ? whole[key] : nothing;
}

Json list_of(const Json& value) { return value.is_array() ? value : Json::array({value}); }

void SuiteValues::reject(const std::string& place, const std::string& sentence) const {
  throw Error(fmt::format("{}: {} {}", path_, place, sentence));
}

void SuiteValues::require_keys(const Json& value, const std::string& place,
                               const std::vector<std::string>& known) const {
  if (value.is_null()) return;
  if (!value.is_object()) reject(place, "must hold keys, but is " + value.dump());
  for (const auto& [key, inner] : value.items())
    if (!contains(known, key))
      reject(place, fmt::format("holds the unknown key '{}' (= {}); known here: {}", key,
                                inner.dump(), fmt::join(known, ", ")));
}

std::string SuiteValues::text(const Json& value, const std::string& place) const {
  if (value.is_null()) reject(place, "is missing");
  if (!value.is_string()) reject(place, "must be a string, but is " + value.dump());
  return value.get<std::string>();
}

std::vector<double> SuiteValues::sigmas(const Json& values, const std::string& place) const {
  constexpr double kMost = 10.0;
  if (values.is_null()) reject(place, "is missing");
  for (const Json& value : list_of(values))
    if (!value.is_number() || value < 0.0 || value > kMost)
      reject(place, "must be numbers from 0 to 10, but holds " + value.dump());
  return list_of(values).get<std::vector<double>>();
}

// Names are used as file names.
void SuiteValues::require_file_name(const std::string& name, const std::string& place) const {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  });
  if (!plain || name.empty() || name.front() == '.')
    reject(place, "must be a name of letters, digits, '-', '_' and '.'");
}

void SuiteValues::require_number_or_text(const Json& value, const std::string& place) const {
  if (!value.is_number() && !value.is_string())
    reject(place, "must be a number or a string, but is " + value.dump());
}

double SuiteValues::positive(const Json& owner, const char* key, double otherwise,
                             const std::string& place, double most) const {
  const Json& value = part(owner, key);
  if (value.is_null()) return otherwise;
  if (!value.is_number() || value <= 0.0 || value > most)
    reject(
        fmt::format("{}.{}", place, key),
        fmt::format("must be a positive number{}, but is {}",
                    std::isfinite(most) ? fmt::format(" of at most {}", most) : "", value.dump()));
  return value.get<double>();
}

std::uint64_t SuiteValues::whole_number(const Json& value, const std::string& place,
                                        std::uint64_t least, std::uint64_t most) const {
  const bool whole = value.is_number_integer() && value >= 0;
  if (!whole || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
    reject(place, fmt::format("must be a whole number {}, but is {}",
                              most == std::numeric_limits<std::uint64_t>::max()
                                  ? fmt::format("of at least {}", least)
                                  : fmt::format("from {} to {}", least, most),
                              value.dump()));
  return value.get<std::uint64_t>();
}

std::vector<std::uint64_t> SuiteValues::whole_numbers(const Json& values,
                                                      const std::string& place) const {
  for (const Json& value : list_of(values))
    if (!value.is_number_integer() || value < 0)
      reject(place, "must be whole numbers of at least 0, but holds " + value.dump());
  if (list_of(values).empty()) reject(place, "must hold at least one number");
  return list_of(values).get<std::vector<std::uint64_t>>();
}

}  // namespace vsmax
