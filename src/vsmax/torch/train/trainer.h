// SPDX-License-Identifier: Apache-2.0
// Internal: the training loop, for any LineModel. The entry point is train() in training.h.
#pragma once

#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/train/training.h"

namespace vsmax {

// `model` has its initial weights, those of process 0 count, and is on `device`.
TrainOutcome train_model(LineModel& model, torch::Device device, const TrainConfig& config,
                         const TrainOptions& options, TrainObserver& observer,
                         const ProcessGroup& group = {});

}  // namespace vsmax
