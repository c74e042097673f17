// SPDX-License-Identifier: Apache-2.0
// A child process that writes its output to a file. It is terminated when this process ends, even
// if this process is killed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace vsmax {

class ChildProcess {
 public:
  // arguments[0] is the program. Standard output and error are appended to `output`. Throws Error.
  ChildProcess(const std::vector<std::string>& arguments, const std::string& output);
  ~ChildProcess();  // ends it if it is still running
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Empty while it runs; 128 + the signal if a signal ended it, as in a shell.
  std::optional<int> exit_code();

  // Sends SIGTERM and waits.
  int end();

 private:
  void wait(int options);

  pid_t id_ = -1;
  std::optional<int> code_;
};

// The last line of a program's output that is not empty.
std::string last_line(const std::string& output);

}  // namespace vsmax
