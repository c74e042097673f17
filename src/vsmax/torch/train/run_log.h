// SPDX-License-Identifier: Apache-2.0
// What a run records about itself: log.jsonl, one object per epoch, and outcome.json.
#pragma once

#include <string>

namespace vsmax {

struct EpochRecord {
  int epoch = 0;
  double train_loss = 0.0;
  double validation_loss = 0.0;
  double learning_rate = 0.0;
  double seconds = 0.0;            // training and validation
  double images_per_second = 0.0;  // in training, including making the batches
  bool best = false;               // the lowest validation loss so far
};

// How the last `vsmax train` in a folder ended, where it ran and with which code.
struct OutcomeRecord {
  std::string end;
  int epochs = 0;
  int best_epoch = 0;
  double validation_loss = 0.0;  // the lowest
  std::string device;
  std::string torch;
  std::string commit;
};

// The short hash of the commit that this program was built from, or "unknown".
std::string source_commit();

void write_outcome(const std::string& folder, const OutcomeRecord& record);

std::string log_line(const EpochRecord& record);

// Adds one line and syncs it. On failure, removes what was written of the line and throws Error.
void append_line(const std::string& path, const std::string& line);

// Keeps only the complete records of epochs 1..epoch; a line that a killed run left half-written is
// dropped as well. Does nothing if there is no such file.
void trim_log(const std::string& path, int epoch);

}  // namespace vsmax
