// SPDX-License-Identifier: Apache-2.0
// The finished runs in a folder, one JSON file a run. A file counts if its hash is the run's.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax/experiments/run.h"

namespace vsmax {

using Json = nlohmann::ordered_json;

class RunResults {
 public:
  explicit RunResults(std::string folder) : folder_(std::move(folder)) {}

  std::string path(const Run& run) const { return folder_ + "/" + run.name + ".json"; }

  // Reads the run's file, if there is one of this configuration. Throws Error for a file that is
  // no result of a run.
  bool load(const Run& run);

  // Writes the run's file and keeps its content.
  void save(const Run& run, Json result);

  // Null where the run is not finished.
  const Json* find(const Run& run) const;

  // {"all": {mean, deviation, count}, "seam": .., "interior": ..} at this noise; null if there is
  // none.
  Json scores_at(const Run& run, double sigma) const;

  // [{"seed", "run", "all", "seam", "interior"}, ..]: the means of the trained runs that are
  // finished.
  Json means_at(const std::vector<Run>& runs, double sigma) const;

  // EA of every cell, T rows of R values, at a noise of run.map_sigmas; null if there is none.
  Json cells_at(const Run& run, double sigma) const;

  // {"run", "sigma": [..], "mean": [..]} over all noises, for "all", "seam" or "interior".
  Json curve(const Run& run, const std::string& lines) const;

 private:
  std::string folder_;
  std::map<std::string, Json> results_;  // by name
};

}  // namespace vsmax
