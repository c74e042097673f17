// SPDX-License-Identifier: Apache-2.0
// What the values of options must be. Every check complains in the same way, with option and value:
// "--seed must be a whole number from 0 to 9, not '1.5'".
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vsmax::app {

// The finite decimal number, or whole number, that the whole text is; nothing for any other text.
std::optional<double> read_number(std::string_view text);
std::optional<std::uint64_t> read_whole(std::string_view text);

// Numbers separated by commas, each at least 0. Throws CLI::ValidationError naming the option.
std::vector<double> read_levels(const std::string& option, const std::string& text);

// Rejects an empty value, which would otherwise mean "option not given".
CLI::Validator not_empty();

CLI::Validator number();
CLI::Validator not_negative();
CLI::Validator positive();
CLI::Validator fraction();  // from 0 to 1

// For transform() instead of check(): it removes leading zeros, with which the parser would take
// the number for an octal one.
CLI::Validator whole(std::uint64_t least, std::uint64_t most);

inline constexpr std::uint64_t kAnyInt = std::numeric_limits<int>::max();
inline constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();

CLI::Validator one_of(const std::vector<std::string>& names);

// Rejects what is neither one of these models nor a file. A file that cannot be used is bad input,
// for whoever reads it to report. The unlisted names are accepted, too, but not suggested.
CLI::Validator model_name(const std::vector<std::string>& names,
                          const std::vector<std::string>& unlisted);

// The message of a usage error as a sentence in this style.
std::string usage_sentence(const CLI::Error& error);

}  // namespace vsmax::app
