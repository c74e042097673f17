// SPDX-License-Identifier: Apache-2.0
// Many images in, their lines out, on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "vsmax/recover/line_recoverer.h"

namespace vsmax {

class ThreadPool;

// The threads are kept between batches. Each has its own LineRecoverer, so that images of one size
// allocate nothing except their results.
class BatchRecoverer {
 public:
  // threads < 1 means one per processor, or four per processor if the model has an accelerator.
  explicit BatchRecoverer(const Model& model, int threads = 0);
  BatchRecoverer(const BatchRecoverer&) = delete;
  BatchRecoverer& operator=(const BatchRecoverer&) = delete;
  BatchRecoverer(BatchRecoverer&&) noexcept;
  BatchRecoverer& operator=(BatchRecoverer&&) noexcept;
  ~BatchRecoverer();

  // The same lines as LineRecoverer's, in the order of the images, for any number of threads.
  // Throws Error for the first image that LineRecoverer rejects, with its index.
  std::vector<Recovery> operator()(std::span<const ImageView> images,
                                   const LinesWanted& wanted = {});

  // For images that are read or rendered on the fly: calls body(index, worker, recover) once for
  // every index in [0, count) with the worker's own recoverer. A single image gets all threads. An
  // exception from body is rethrown; if several calls fail, that of the first index.
  using Body = std::function<void(std::size_t index, std::size_t worker, LineRecoverer& recover)>;
  void for_each(std::size_t count, const Body& body);

  std::size_t workers() const { return recoverers_.size(); }

 private:
  std::unique_ptr<ThreadPool> pool_;
  std::vector<LineRecoverer> recoverers_;  // one per thread
};

}  // namespace vsmax
