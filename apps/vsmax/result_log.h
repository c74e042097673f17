// SPDX-License-Identifier: Apache-2.0
// Where the records of 'vsmax detect' go: standard output, or a file that remains usable however
// the program ends. A record is one write of complete lines, so that at most the last one can be
// cut off; it is removed when the run is resumed.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "path_key.h"
#include "result_text.h"

namespace vsmax::app {

struct LogOptions {
  std::string file;  // empty or "-" for standard output
  Format format = Format::kText;
  bool resume = false;
  bool retry_errors = false;  // remove failures from the file, so that they are tried again
};

class ResultLog {
 public:
  // Throws Error for a file that exists, unless its run is resumed; then reads its records.
  explicit ResultLog(const LogOptions& options);
  ~ResultLog();
  ResultLog(const ResultLog&) = delete;
  ResultLog& operator=(const ResultLog&) = delete;

  // False if the file has a record of this image already, or if the image was claimed before.
  // Always true on standard output.
  bool claim(const PathKey& image);

  // Throws Error if it cannot be written; no part of the record remains in the file.
  void append(const std::string& record);

  // Makes sure that everything is on disk. Throws Error.
  void finish();

  bool has_terminal() const;
  std::size_t failed_before() const { return failed_before_; }  // and not tried again

 private:
  void open_file(bool resume);
  void lock() const;
  void read_existing();
  void remove_failures();
  [[noreturn]] void fail_to_write(int code) const;

  std::string name_;  // in messages
  Format format_;
  int file_ = STDOUT_FILENO;
  bool is_ours_ = false;  // not standard output
  bool is_regular_ = false;
  std::uint64_t size_ = 0;  // of a regular file
  PathSet images_;
  std::size_t failed_before_ = 0;
};

}  // namespace vsmax::app
