// SPDX-License-Identifier: Apache-2.0
// Trains a model by the paper's protocol, from a configuration to a folder with its weights. This
// header needs no LibTorch.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "vsmax/torch/train/config.h"
#include "vsmax/torch/train/process_group.h"
#include "vsmax/torch/train/run_log.h"

namespace vsmax {

struct TrainOptions {
  std::string out;
  std::string data;  // folder of labelled photographs, for learned evidence
  std::string device = "cpu";
  bool resume = false;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  int threads = 0;  // of this process; 0: its share of the machine's processors
};

struct TrainProgress {
  int epoch = 0;  // from 1
  int max_epochs = 0;
  std::size_t step = 0;  // done in this epoch
  std::size_t steps = 0;
  double loss = 0.0;                      // mean over the epoch so far
  std::optional<double> validation_loss;  // of the epoch before
  double learning_rate = 0.0;
  double seconds_left = 0.0;  // of this epoch
};

// Watches a run and may end it. Called on the training thread; of several processes only the first
// is told anything, but all are asked.
class TrainObserver {
 public:
  TrainObserver() = default;
  TrainObserver(const TrainObserver&) = delete;
  TrainObserver& operator=(const TrainObserver&) = delete;
  virtual ~TrainObserver() = default;

  virtual void on_note(const std::string& sentence) = 0;
  virtual void on_step(const TrainProgress& progress) = 0;
  // At the end of an epoch, whose checkpoint is written while the next one trains.
  virtual void on_epoch(const EpochRecord& record) = 0;
  virtual bool wants_stop() = 0;
};

enum class TrainEnd { kMaxEpochs, kEarlyStopping, kTimeLimit, kStopped };

// "all epochs", "early stopping", "time limit" or "stopped".
std::string name_of(TrainEnd end);

struct TrainOutcome {
  TrainEnd end = TrainEnd::kMaxEpochs;
  int epochs = 0;  // completed, over all sessions of the run
  int best_epoch = 0;
  double best_loss = 0.0;
};

// Stopped or at the time limit, the run loses the steps since its last completed epoch and can be
// resumed. It also ends where another epoch would not fit into the time limit. The same
// configuration, device and threads give the same files, bit for bit. Several processes share the
// work on every batch, so that up to rounding the result does not depend on their number; only the
// first uses the folder, and all end alike. Throws Error.
TrainOutcome train(const TrainConfig& config, const TrainOptions& options, TrainObserver& observer,
                   const ProcessGroup& group = {});

}  // namespace vsmax
