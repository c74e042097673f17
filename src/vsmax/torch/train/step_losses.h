// SPDX-License-Identifier: Apache-2.0
// Internal: the losses of an epoch's steps, kept on the device and read a few steps at a time.
// Reading waits for the device, which would go idle if that happened after every step.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <optional>

#include "vsmax/torch/train/process_group.h"

namespace vsmax {

// A step whose loss or gradient is not finite.
struct BadStep {
  std::size_t step = 0;  // from 0
  const char* what = "";
  double value = 0.0;
};

class StepLosses {
 public:
  explicit StepLosses(torch::Device device);

  // Two scalars on the device: this process's part of the loss, and AdamW::sum_of_squares, which is
  // finite if the gradients are.
  void add(const torch::Tensor& loss, const torch::Tensor& gradient_squares);
  void add(const torch::Tensor& both);  // [2] float32
  bool full() const { return unread_ == capacity_; }

  // Reads what was added since the last call, summed over the processes; returns the first bad
  // step, if there is one.
  std::optional<BadStep> read(const ProcessGroup& group = {});

  // Over all steps read.
  double mean() const { return sum_ / static_cast<double>(steps_); }

 private:
  std::size_t capacity_;
  torch::Tensor buffer_;  // [capacity, 2]
  std::size_t unread_ = 0;
  std::size_t steps_ = 0;
  double sum_ = 0.0;
};

}  // namespace vsmax
