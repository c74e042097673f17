// SPDX-License-Identifier: Apache-2.0
// outcome.json: how the last `vsmax train` in a folder ended, where it ran and on which code.
#pragma once

#include <string>

namespace vsmax {

struct OutcomeRecord {
  std::string end;
  int epochs = 0;
  int best_epoch = 0;
  double validation_loss = 0.0;  // the lowest
  std::string device;
  std::string torch;
  std::string commit;
};

void write_outcome(const std::string& folder, const OutcomeRecord& record);

}  // namespace vsmax
