// SPDX-License-Identifier: Apache-2.0
// The folder of a run:
//   config.yaml             every setting, defaults and overrides included
//   log.jsonl               one object per epoch
//   checkpoint.safetensors  the last completed epoch, for --resume
//   outcome.json            how the last training in it ended (run_log.h)
//   model.safetensors       the weights of the lowest validation loss, for `vsmax detect --model`
// Files are replaced atomically, so a run killed at any moment can be resumed.
#pragma once

#include <optional>
#include <string>

#include "vsmax/torch/train/checkpoint.h"
#include "vsmax/torch/train/run_log.h"

namespace vsmax {

// Throws Error if the folder already holds a run and `resume` is false, or if the run to resume has
// lost its checkpoint.
void refuse_existing_run(const std::string& path, bool resume);

class RunFolder {
 public:
  static constexpr const char* kConfig = "config.yaml";
  static constexpr const char* kLog = "log.jsonl";
  static constexpr const char* kCheckpoint = "checkpoint.safetensors";
  static constexpr const char* kModel = "model.safetensors";

  // Creates the folder and locks it for the lifetime of this object. Throws Error, having changed
  // nothing, if another run is using it, and as refuse_existing_run does.
  RunFolder(const std::string& path, bool resume);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::string config_path() const { return file(kConfig); }
  std::string log_path() const { return file(kLog); }
  std::string checkpoint_path() const { return file(kCheckpoint); }
  std::string model_path() const { return file(kModel); }
  std::string nan_batch_path() const { return file("nan-batch.safetensors"); }

  // Empty if the run ended before its first epoch was complete.
  std::optional<Checkpoint> load_checkpoint() const;

  // Brings all other files in line with the checkpoint; null is the start of a run.
  void begin(const TrainConfig& config, const Checkpoint* checkpoint) const;

  // At the end of an epoch. The log comes first: the next begin() drops a surplus line.
  void save_epoch(const EpochRecord& record, const Checkpoint& checkpoint) const;

 private:
  std::string file(const char* name) const;

  std::string path_;
  int lock_ = -1;
};

}  // namespace vsmax
