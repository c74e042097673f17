// SPDX-License-Identifier: Apache-2.0
// Everything that a run needs to resume bit for bit, and its form as a safetensors file: tensors
// are float32; numbers that float32 cannot hold are in the metadata (integers in decimal, doubles
// as hexadecimal floats). The file's SHA-256 covers both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vsmax/io/safetensors.h"
#include "vsmax/torch/train/config.h"
#include "vsmax/torch/train/schedules.h"

namespace vsmax {

// AdamW's state: for each parameter, in the model's order, the running means of its gradient, of
// the gradient's square and, if that is kept, of the parameter itself.
struct AdamWState {
  std::int64_t step = 0;
  std::vector<Tensor> means;
  std::vector<Tensor> squares;
  std::vector<Tensor> averages;
};

struct Checkpoint {
  int epoch = 0;  // completed epochs
  SafeTensors weights;
  AdamWState optimiser;
  PlateauState schedule;
  EarlyStoppingState early_stopping;

  int best_epoch = 0;
  double best_loss = 0.0;
  SafeTensors best_weights;  // what model.safetensors holds

  Settings settings;
  std::string data;  // digest of the labelled photographs; empty if there are none
  // Where it ran; resuming elsewhere is allowed, but the last bits will differ.
  std::string device;
  int threads = 0;  // of each process
  int processes = 1;
};

SafeTensors pack_checkpoint(const Checkpoint& checkpoint);

// Throws Error that starts with `name` if the file is not a checkpoint or lacks its checksum.
Checkpoint unpack_checkpoint(const SafeTensors& file, const std::string& name);

// Throws Error naming the first setting, other than the number of epochs, in which the checkpoint's
// run differs from `config`.
void require_same_settings(const Checkpoint& checkpoint, const TrainConfig& config,
                           const std::string& name);

}  // namespace vsmax
