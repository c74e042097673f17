// SPDX-License-Identifier: Apache-2.0
// A progress bar with the time left, on standard error, and only where that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace vsmax::app {

class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::size_t done, std::size_t total);
  void clear();  // takes the bar off the screen, before something else is printed

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_{};
};

// "1:05" or "2:03:10".
std::string clock_text(double seconds);

}  // namespace vsmax::app
