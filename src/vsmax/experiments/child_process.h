// SPDX-License-Identifier: Apache-2.0
// A program run beside this one, its output in a file. It ends with this one, however that ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace vsmax {

class ChildProcess {
 public:
  // arguments[0] is the program. Standard output and error are added to `output`. Throws Error.
  ChildProcess(const std::vector<std::string>& arguments, const std::string& output);
  ~ChildProcess();  // ends it, if it still runs
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Empty while it runs; 128 + the signal for one that a signal ended, as a shell says it.
  std::optional<int> exit_code();

  // Asks it to end, and waits until it has.
  int end();

 private:
  int wait(int options);

  pid_t id_ = -1;
  std::optional<int> code_;
};

}  // namespace vsmax
