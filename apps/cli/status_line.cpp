// SPDX-License-Identifier: Apache-2.0
#include "cli/status_line.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vsmax::app {

namespace {

// A line longer than the terminal would wrap and could not be drawn over.
std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  struct winsize size {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace

bool status_line_shown() {
  static const bool shown = isatty(STDERR_FILENO) != 0;
  return shown;
}

void draw_status_line(const std::string& text) {
  if (!status_line_shown()) return;
  fmt::print(stderr, "\r{}\x1b[K", text.substr(0, terminal_width() - 1));
  std::fflush(stderr);
}

void clear_status_line() {
  if (!status_line_shown()) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace vsmax::app
