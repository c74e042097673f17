// SPDX-License-Identifier: Apache-2.0
// A device that runs the Hough transform and the network instead of the CPU.
#pragma once

#include <span>

namespace vsmax {

// Belongs to one model. Threads may call it concurrently; waiting calls are served as one batch.
class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  virtual ~Accelerator() = default;

  // From the evidence in the model's frame to the accumulator and the network's logits on the
  // model's cover. Throws Error if the device fails.
  virtual void refine(std::span<const float> pixels, std::span<float> accumulator,
                      std::span<float> logits) = 0;
};

}  // namespace vsmax
