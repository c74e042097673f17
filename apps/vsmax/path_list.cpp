// SPDX-License-Identifier: Apache-2.0
#include "path_list.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/interrupt.h"
#include "vsmax/base/error.h"

namespace vsmax::app {
namespace {

constexpr std::size_t kLongestPath = std::size_t{1} << 20;  // far more than any system allows

[[noreturn]] void fail_to_read(const std::string& name, int code) {
  throw Error(name + ": the list cannot be read (" + std::generic_category().message(code) + ")");
}

// Waits for input; false after an interrupt. The signal may be delivered to another thread, so this
// one also polls the flag.
bool await_input(int file) {
  constexpr int kLookEvery = 100;  // milliseconds
  struct pollfd wanted {
    file, POLLIN, 0
  };
  while (!interrupted())
    if (::poll(&wanted, 1, kLookEvery) > 0) return true;
  return false;
}

}  // namespace

PathList::PathList(const std::string& file, char separator)
    : name_(file == "-" ? "standard input" : file),
      separator_(separator),
      file_(file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) fail_to_read(name_, errno);
}

PathList::~PathList() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

std::optional<std::string> PathList::next() {
  while (true) {
    std::size_t end = buffer_.find(separator_, used_);
    while (end == std::string::npos) {
      const std::size_t searched = buffer_.size() - used_;
      if (searched > kLongestPath)
        throw Error(name_ + ": the list has a path of more than " + std::to_string(kLongestPath) +
                    " bytes");
      if (!read_more()) break;
      end = buffer_.find(separator_, used_ + searched);
    }
    if (end == std::string::npos && used_ == buffer_.size()) return std::nullopt;
    std::string path = buffer_.substr(used_, end - used_);
    used_ = end == std::string::npos ? buffer_.size() : end + 1;
    if (separator_ == '\n') {
      if (path.find('\0') != std::string::npos)
        throw Error(name_ + ": the paths in the list are separated by NUL, which needs --null");
      if (!path.empty() && path.back() == '\r') path.pop_back();
    }
    if (!path.empty()) return path;
  }
}

bool PathList::read_more() {
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  if (!await_input(file_)) {
    used_ = buffer_.size();  // drops what may be half a path
    return false;
  }
  buffer_.erase(0, used_);
  used_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  const ssize_t count = ::read(file_, buffer_.data() + before, kChunk);
  buffer_.resize(before + static_cast<std::size_t>(count < 0 ? 0 : count));
  if (count < 0 && errno != EINTR) fail_to_read(name_, errno);
  return count != 0;
}

}  // namespace vsmax::app
