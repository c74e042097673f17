// SPDX-License-Identifier: Apache-2.0
// Internal: the training loop, for any LineModel. The entry point is train() in training.h.
#pragma once

#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/train/training.h"

namespace vsmax {

// `model` is on `device` and has its initial weights; all processes start from those of process 0.
TrainOutcome train_model(LineModel& model, torch::Device device, const TrainConfig& config,
                         const TrainOptions& options, TrainObserver& observer,
                         const ProcessGroup& group = {});

}  // namespace vsmax
