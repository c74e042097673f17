// SPDX-License-Identifier: Apache-2.0
// A list of paths of any length, read in chunks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace vsmax::app {

class PathList {
 public:
  // `file` may be "-" for standard input. Throws Error naming the file.
  PathList(const std::string& file, char separator);
  ~PathList();
  PathList(const PathList&) = delete;
  PathList& operator=(const PathList&) = delete;

  // Skips empty entries; if the separator is a newline, a carriage return before it is dropped.
  // Ends early after an interrupt, even while waiting for a pipe.
  std::optional<std::string> next();

 private:
  bool read_more();  // false at the end of the input

  std::string name_;
  char separator_;
  int file_;
  std::string buffer_;
  std::size_t used_ = 0;  // bytes of the buffer that have been returned
};

}  // namespace vsmax::app
