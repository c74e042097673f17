// SPDX-License-Identifier: Apache-2.0
// Shows a training run: one line per epoch on standard output, and below it a progress line on a
// terminal.
#pragma once

#include "cli/progress_line.h"
#include "vsmax/torch/train/training.h"

namespace vsmax::app {

class TrainDisplay : public TrainObserver {
 public:
  void on_note(const std::string& sentence) override;
  void on_step(const TrainProgress& progress) override;
  void on_epoch(const EpochRecord& record) override;
  bool wants_stop() override;  // after Ctrl-C or SIGTERM

 private:
  ProgressLine line_;
};

}  // namespace vsmax::app
