// SPDX-License-Identifier: Apache-2.0
// Internal: a training step on CUDA as one CUDA graph. Hundreds of small kernels are launched by
// one call, and the device does not wait between them.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/train/adamw.h"
#include "vsmax/torch/train/batch_source.h"
#include "vsmax/torch/train/process_group.h"

namespace vsmax {

class CapturedStep {
 public:
  CapturedStep() = default;
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;
  virtual ~CapturedStep() = default;

  // Trains on a batch without waiting for the device. Returns the loss and AdamW::sum_of_squares as
  // [2] float32 on the device, valid until the next step. All results equal those of the plain step
  // bit for bit.
  virtual torch::Tensor run(int epoch, std::size_t step, double learning_rate) = 0;
};

// What a step works with; all of it must outlive the step.
struct StepParts {
  LineModel& model;
  BatchSource& source;
  AdamW& optimiser;
  torch::Device device;
  const ProcessGroup& group;
};

// Null unless this is a single process on CUDA, or if the environment variable VSMAX_TRAIN_GRAPH is
// 0. If the step cannot be captured, a note says so, and it runs without a graph. As long as it
// exists, this thread works on another CUDA stream, because the default one cannot be captured.
std::unique_ptr<CapturedStep> open_captured_step(
    const StepParts& parts, const std::function<void(const std::string&)>& note);

}  // namespace vsmax
