// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/outcome_file.h"

#include <nlohmann/json.hpp>

#include "vsmax/io/file.h"

namespace vsmax {

void write_outcome(const std::string& folder, const OutcomeRecord& record) {
  const nlohmann::ordered_json json{{"end", record.end},
                                    {"epochs", record.epochs},
                                    {"best_epoch", record.best_epoch},
                                    {"validation_loss", record.validation_loss},
                                    {"device", record.device},
                                    {"torch", record.torch},
                                    {"commit", record.commit}};
  write_file_atomically(folder + "/outcome.json", json.dump() + "\n");
}

}  // namespace vsmax
