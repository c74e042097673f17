// SPDX-License-Identifier: Apache-2.0
// Many images in, their lines out, on several threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vsmax/base/parallel.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {

// The threads stay from batch to batch. Each keeps the tables and buffers of the last image size,
// so images of one size allocate nothing new but their results.
class BatchRecoverer {
 public:
  // threads < 1 means one per processor.
  explicit BatchRecoverer(const Model& model, int threads = 0);

  // The same lines as LineRecoverer's, in the order of the images, for any number of threads.
  // Throws Error for the first image that LineRecoverer refuses, with its number from 0.
  std::vector<Recovery> operator()(std::span<const GrayImage> images);

 private:
  std::unique_ptr<Crew> crew_;
  std::vector<LineRecoverer> workers_;  // one a thread
};

}  // namespace vsmax
