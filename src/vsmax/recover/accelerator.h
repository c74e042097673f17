// SPDX-License-Identifier: Apache-2.0
// A device that votes and refines in place of this processor.
#pragma once

#include <span>

namespace vsmax {

// For one model. Threads may call at the same time: those that wait are served together.
class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  virtual ~Accelerator() = default;

  // From the evidence in the model's frame to the accumulator and the network's logits on the
  // model's cover. Throws Error where the device fails.
  virtual void refine(std::span<const float> pixels, std::span<float> accumulator,
                      std::span<float> logits) = 0;
};

}  // namespace vsmax
