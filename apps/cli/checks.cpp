// SPDX-License-Identifier: Apache-2.0
#include "cli/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace vsmax::app {
namespace {

template <class Number>
std::optional<Number> read_all(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [last, status] = std::from_chars(text.data(), end, value);
  if (text.empty() || status != std::errc() || last != end) return std::nullopt;
  return value;
}

std::string must_be(const std::string& kind, const std::string& value) {
  return fmt::format("must be {}, not '{}'", kind, value);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "a, b or c"
std::string choice_of(const std::vector<std::string>& names) {
  return fmt::format("{}{}{}", fmt::join(names.begin(), names.end() - 1, ", "),
                     names.size() > 1 ? " or " : "", names.back());
}

// A number for which fits(number) holds.
template <class Fits>
CLI::Validator number_that(const std::string& kind, const Fits& fits) {
  return CLI::Validator(
      [=](const std::string& text) {
        const auto value = read_number(text);
        return value && fits(*value) ? std::string() : must_be(kind, text);
      },
      "");
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto value = read_all<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> read_whole(std::string_view text) {
  return read_all<std::uint64_t>(text);
}

std::vector<double> read_levels(const std::string& option, const std::string& text) {
  std::vector<double> levels;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const auto level = read_number(std::string_view(text).substr(start, end - start));
    if (!level || *level < 0.0)
      throw CLI::ValidationError(option,
                                 must_be("numbers of at least 0, separated by commas", text));
    levels.push_back(*level);
    start = end + 1;
  }
  return levels;
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& text) { return text.empty() ? "must not be empty" : ""; }, "");
}

CLI::Validator number() {
  return number_that("a number", [](double) { return true; });
}

CLI::Validator not_negative() {
  return number_that("a number of at least 0", [](double value) { return value >= 0.0; });
}

CLI::Validator positive() {
  return number_that("a positive number", [](double value) { return value > 0.0; });
}

CLI::Validator fraction() {
  return number_that("a number from 0 to 1",
                     [](double value) { return value >= 0.0 && value <= 1.0; });
}

CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  constexpr std::uint64_t kWorthShowing = 1'000'000;  // in the help
  return CLI::Validator(
      [=](std::string& text) {
        const auto value = read_whole(text);
        if (!value || *value < least || *value > most)
          return must_be(fmt::format("a whole number from {} to {}", least, most), text);
        text = std::to_string(*value);
        return std::string();
      },
      most <= kWorthShowing ? fmt::format("{}..{}", least, most) : "");
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  return CLI::Validator(
      [=](const std::string& text) {
        return contains(names, text) ? std::string() : must_be(choice_of(names), text);
      },
      fmt::format("{{{}}}", fmt::join(names, ",")));
}

CLI::Validator model_name(const std::vector<std::string>& names,
                          const std::vector<std::string>& unlisted) {
  return CLI::Validator(
      [=](const std::string& text) {
        std::error_code failure;
        const bool is_file =
            std::filesystem::status(text, failure).type() != std::filesystem::file_type::not_found;
        return is_file || contains(names, text) || contains(unlisted, text)
                   ? std::string()
                   : must_be("an existing file or one of " + choice_of(names), text);
      },
      "");
}

std::string usage_sentence(const CLI::Error& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return text;
  const std::string option = text.substr(0, colon);
  const std::string complaint = text.substr(colon + 2);
  // The parser puts a colon between an option and what is wrong with it.
  if (complaint.starts_with("must ")) return option + " " + complaint;
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) return text;
  if (complaint.ends_with(" missing")) return option + " needs a value";
  if (complaint.starts_with("At Most 1 ")) return option + " can be given only once";
  return text;
}

}  // namespace vsmax::app
