// SPDX-License-Identifier: Apache-2.0
// A list of paths, read piece by piece, however long it is.
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

  // Skips empty entries; with lines, a carriage return before the end of the line is not part of
  // the path. Ends early after an interrupt, even while it waits for a pipe.
  std::optional<std::string> next();

 private:
  bool read_more();  // false at the end

  std::string name_;
  char separator_;
  int file_;
  std::string buffer_;
  std::size_t used_ = 0;  // of the buffer
};

}  // namespace vsmax::app
