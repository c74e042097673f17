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

  // Trains on a batch, without waiting for the device. Returns [2] float32, on the device and good
  // until the next step: the loss and AdamW::sum_of_squares. The bits of everything are those of
  // the plain step.
  virtual torch::Tensor run(int epoch, std::size_t step, double learning_rate) = 0;
};

// What a step works with; it must outlive the step.
struct StepParts {
  LineModel& model;
  BatchSource& source;
  AdamW& optimiser;
  torch::Device device;
  const ProcessGroup& group;
};

// Null unless this is one process on CUDA, or if the environment variable VSMAX_TRAIN_GRAPH is 0. A
// note says if the step cannot be captured; it runs plainly then. As long as it exists, this thread
// works on another CUDA stream than the default one, which cannot be captured.
std::unique_ptr<CapturedStep> open_captured_step(
    const StepParts& parts, const std::function<void(const std::string&)>& note);

}  // namespace vsmax
