// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180, except that a field cannot contain a line break). Internal to
// data, apart from csv_field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vsmax {

struct CsvRow {
  std::size_t row = 0;              // counted from 1, blank rows included
  std::vector<std::string> fields;  // without quotes and surrounding spaces
};

// Skips a byte order mark and blank rows; rows end in LF or CRLF. Throws Error naming `file` and
// the row for a quote that is not closed, or is followed by more text.
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& file);

// The text as one field of a row, quoted if it has to be.
std::string csv_field(const std::string& text);

}  // namespace vsmax
