// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <utility>

namespace vsmax::app {

namespace {

constexpr std::size_t kBarWidth = 30;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

}  // namespace

std::string clock_text(double seconds) {
  const auto total = std::lround(seconds);
  if (total >= 3600)
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), shown_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::update(std::size_t done, std::size_t total) {
  const auto now = Clock::now();
  if (!shown_ || total == 0 || (now - last_draw_ < kRedrawInterval && done != total)) return;
  last_draw_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const double spent = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(share * kBarWidth);
  fmt::print(stderr, "\r{} [{:<{}}] {:3.0f} %", label_, std::string(filled, '#'), kBarWidth,
             100.0 * share);
  if (share > 0.0) fmt::print(stderr, ", {} left", clock_text(spent * (1.0 - share) / share));
  fmt::print(stderr, "\x1b[K");
  std::fflush(stderr);
}

}  // namespace vsmax::app
