// SPDX-License-Identifier: Apache-2.0
// The progress line of 'vsmax detect'. The images are counted in the background while the first
// ones are searched, because counting a large folder takes long.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

#include "cli/progress_line.h"
#include "image_sources.h"
#include "path_key.h"

namespace vsmax::app {

class DetectProgress {
 public:
  // Nothing is shown for a single image, nor if standard error is not a terminal.
  DetectProgress(const ImageRequest& request, const Shard& shard);

  // `skipped` are the images that were done before this run.
  void show(std::size_t searched, std::size_t skipped);
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  ProgressLine line_;
  bool is_wanted_;
  Clock::time_point start_ = Clock::now();
  std::atomic<std::size_t> total_{0};  // 0 until it is known
  std::jthread counter_;               // last, because it uses the other members
};

}  // namespace vsmax::app
