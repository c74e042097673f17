// SPDX-License-Identifier: Apache-2.0
// The finished runs in a folder, one JSON file per run. A file counts if it has the run's hash.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "vsmax/experiments/run.h"

namespace vsmax {

using Json = nlohmann::ordered_json;

class RunResults {
 public:
  explicit RunResults(std::string folder) : folder_(std::move(folder)) {}

  std::string path(const Run& run) const { return folder_ + "/" + run.name + ".json"; }

  // Throws Error for a file that is not the result of a run.
  bool finished(const Run& run) const;

  void save(const Run& run, const Json& result) const;

 private:
  std::string folder_;
};

}  // namespace vsmax
