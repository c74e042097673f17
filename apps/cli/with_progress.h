// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/interrupt.h"
#include "cli/progress_line.h"

namespace vsmax::app {

// Returns work(progress), where progress draws the progress line. After an interrupt, progress
// returns false: work then throws Interrupted, and the program exits with kInterrupted.
template <class Work>
auto with_progress(const std::string& label, const Work& work) {
  ProgressLine line;
  return work([&](std::size_t done, std::size_t total) {
    line.show(label, done, total);
    return !interrupted();
  });
}

}  // namespace vsmax::app
