// SPDX-License-Identifier: Apache-2.0
#include "logged_records.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "vsmax/base/error.h"

namespace vsmax::app {
namespace {

// The fields of one row of our own CSV: no spaces around quotes. A field may contain line breaks.
std::vector<std::string> fields_of(std::string_view row) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_quote = row[i] == '"';
    if (is_quote && quoted && i + 1 < row.size() && row[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (is_quote) {
      quoted = !quoted;
    } else if (row[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += row[i];
    }
  }
  return fields;
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace

LoggedRecords::LoggedRecords(std::string file, Format format)
    : file_(std::move(file)), format_(format), stream_(file_, std::ios::binary) {
  if (!stream_) throw Error(file_ + ": cannot be read");
  const std::string header = header_of(format);
  if (header.empty()) return;
  std::string start(header.size(), '\0');
  stream_.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream_.gcount()));
  if (!header.starts_with(start))
    throw Error(file_ + ": does not start with the header of 'vsmax detect --csv'");
  if (start == header) complete_bytes_ = header.size();
  row_ = 1;
}

std::optional<LoggedRecord> LoggedRecords::next() {
  auto row = next_row();
  if (!row) return std::nullopt;
  auto record = format_ == Format::kCsv ? parse_csv_rows(std::move(*row))
                                        : std::optional(parse_json(std::move(*row)));
  if (record) complete_bytes_ += record->text.size();
  return record;
}

// The next row with its newline. A quoted CSV field may contain line breaks: a row is complete only
// when its quotes are paired.
std::optional<std::string> LoggedRecords::next_row() {
  std::string row;
  std::string part;
  do {
    if (!std::getline(stream_, part) || stream_.eof()) {
      if (stream_.bad()) throw Error(file_ + ": cannot be read");
      return std::nullopt;
    }
    row += part + "\n";
    ++row_;
  } while (format_ == Format::kCsv && std::count(row.begin(), row.end(), '"') % 2 != 0);
  return row;
}

LoggedRecord LoggedRecords::parse_json(std::string row) const {
  const auto object = nlohmann::json::parse(row, nullptr, false);
  const auto text = [&](const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  std::string path = text("image");
  if (path.empty()) fail_at_row();
  if (const std::string hex = text("image_hex"); !hex.empty()) path = bytes_of(hex);
  return {std::move(path), object.contains("error"), std::move(row)};
}

// One row per line of the image. If the file ends before the last of them, there is no record.
std::optional<LoggedRecord> LoggedRecords::parse_csv_rows(std::string row) {
  auto fields = fields_of(std::string_view(row).substr(0, row.size() - 1));
  if (fields.size() != kCsvColumns.size() || fields[0].empty()) fail_at_row();
  std::size_t lines = 0;
  const std::string& count = fields[kLinesColumn];
  std::from_chars(count.data(), count.data() + count.size(), lines);
  for (std::size_t line = 1; line < lines; ++line) {
    const auto more = next_row();
    if (!more) return std::nullopt;
    row += *more;
  }
  return LoggedRecord{std::move(fields[0]), !fields.back().empty(), std::move(row)};
}

void LoggedRecords::fail_at_row() const {
  throw Error(file_ + ": row " + std::to_string(row_) + " is not a record of 'vsmax detect " +
              (format_ == Format::kCsv ? "--csv'" : "--json'"));
}

}  // namespace vsmax::app
