// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>

namespace vsmax::app {
namespace {

// A longer line would wrap and could not be drawn over.
std::size_t terminal_width() {
  struct winsize size {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string bar_text(std::size_t done, std::size_t total) {
  constexpr std::size_t kWidth = 20;
  return fmt::format("[{:<{}}]", std::string(kWidth * done / total, '#'), kWidth);
}

std::string clock_text(double seconds) {
  const auto total = std::lround(seconds);
  if (total >= 3600)
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& label, std::size_t done, std::size_t total) {
  if (!is_terminal_ || done == 0 || total == 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  show(fmt::format("{} {} {:3.0f} %, {} left", label, bar_text(done, total), 100.0 * share,
                   clock_text(spent * (1.0 - share) / share)));
}

void ProgressLine::show(const std::string& text) {
  const auto now = Clock::now();
  if (!is_terminal_ || now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  fmt::print(stderr, "\r{}\x1b[K", text.substr(0, terminal_width() - 1));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (last_draw_ == Clock::time_point{}) return;  // nothing is drawn
  last_draw_ = {};
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace vsmax::app
