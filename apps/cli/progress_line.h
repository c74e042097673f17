// SPDX-License-Identifier: Apache-2.0
// One line of progress at the bottom of a terminal, on standard error. Prints nothing if standard
// error is not a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace vsmax::app {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_terminal() const { return is_terminal_; }

  // "label [######        ]  43 %, 1:05 left"
  void show(const std::string& label, std::size_t done, std::size_t total);

  // Any text, cut to the terminal's width. At most ten times a second; other calls do nothing.
  void show(const std::string& text);

  // Removes the line so that something else can be printed; the next show() redraws it at once.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_{};
};

// "[#####     ]"
std::string bar_text(std::size_t done, std::size_t total);

// "1:05" or "2:03:10"
std::string clock_text(double seconds);

}  // namespace vsmax::app
