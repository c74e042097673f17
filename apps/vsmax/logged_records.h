// SPDX-License-Identifier: Apache-2.0
// Reads back, record by record, what 'vsmax detect --out' wrote before it ended or was killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "result_text.h"

namespace vsmax::app {

struct LoggedRecord {
  std::string path;  // of the image
  bool failed = false;
  std::string text;  // as it is in the file
};

class LoggedRecords {
 public:
  // Throws Error if it cannot be read, or is CSV with another header.
  LoggedRecords(std::string file, Format format);

  // Ends before an incomplete record. Throws Error for a row that is not a record.
  std::optional<LoggedRecord> next();

  // The size of the header and the records read so far: where the complete part of the file ends.
  std::uint64_t complete_bytes() const { return complete_bytes_; }

 private:
  std::optional<std::string> next_row();
  LoggedRecord parse_json(std::string row) const;
  std::optional<LoggedRecord> parse_csv_rows(std::string row);
  [[noreturn]] void fail_at_row() const;

  std::string file_;
  Format format_;
  std::ifstream stream_;
  std::size_t row_ = 0;
  std::uint64_t complete_bytes_ = 0;
};

}  // namespace vsmax::app
