// SPDX-License-Identifier: Apache-2.0
// What a training run shows: one plain line an epoch on standard output, and on standard error,
// where that is a terminal, a progress bar below it.
#pragma once

#include <chrono>

#include "vsmax/torch/train/training.h"

namespace vsmax::app {

class TrainDisplay : public TrainObserver {
 public:
  TrainDisplay();
  ~TrainDisplay() override;
  TrainDisplay(const TrainDisplay&) = delete;
  TrainDisplay(TrainDisplay&&) = delete;
  TrainDisplay& operator=(const TrainDisplay&) = delete;
  TrainDisplay& operator=(TrainDisplay&&) = delete;

  void on_note(const std::string& sentence) override;
  void on_step(const TrainProgress& progress) override;
  void on_epoch(const EpochRecord& record) override;
  bool wants_stop() override;  // after Ctrl-C or SIGTERM

 private:
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace vsmax::app
