// SPDX-License-Identifier: Apache-2.0
#include "vsmax/data/csv.h"

#include <algorithm>
#include <utility>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpaces = " \t";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// Takes the text up to and including the next separator off the front of `rest`.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return taken;
}

// Reads the content of a quoted field. `rest` starts after the opening quote and ends up after the
// closing one. False if there is no closing quote.
bool take_quoted(std::string_view& rest, std::string& field) {
  while (true) {
    const auto quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    field += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (rest.empty() || rest.front() != '"') return true;
    field += '"';  // a doubled quote stands for itself
    rest.remove_prefix(1);
  }
}

std::vector<std::string> split_row(std::string_view line, const std::string& where) {
  std::vector<std::string> fields;
  for (bool more = true; more;) {
    std::string field;
    const std::string_view start = trimmed(line);
    if (!start.empty() && start.front() == '"') {
      line.remove_prefix(line.find('"') + 1);
      if (!take_quoted(line, field)) throw Error(where + " has a quote that is not closed");
      more = line.find(',') != std::string_view::npos;
      if (!trimmed(take_until(line, ',')).empty())
        throw Error(where + " has text after a closing quote");
    } else {
      more = line.find(',') != std::string_view::npos;
      field = trimmed(take_until(line, ','));
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& file) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  std::vector<CsvRow> rows;
  for (std::size_t row = 1; !text.empty(); ++row) {
    std::string_view line = take_until(text, '\n');
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (trimmed(line).empty()) continue;
    rows.push_back({row, split_row(line, file + ": row " + std::to_string(row))});
  }
  return rows;
}

std::string csv_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trimmed(text) == text;
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace vsmax
