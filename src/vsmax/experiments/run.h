// SPDX-License-Identifier: Apache-2.0
// One model to evaluate, after training it if it is a learned one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vsmax/torch/train/config.h"

namespace vsmax {

struct Run {
  std::string name;    // of its files: vsmax-vs-s42
  std::string family;  // in the suite: vsmax-vs
  std::string model;
  std::optional<TrainConfig> training;  // empty for argmax and posterior, which learn nothing
  HoughGrid grid = HoughGrid::paper();  // its lines are the test
  std::vector<double> sigmas;           // noise of the test images
  std::vector<double> map_sigmas;       // where the EA of every line is kept
  std::uint64_t test_seed = 42;

  // Changes with everything the result depends on, except the device and the version of the code.
  std::string hash() const;
};

// The file of its result in a folder of results.
std::string result_path(const Run& run, const std::string& folder);

// Whether there is a result with the run's hash. Throws Error for a file that is no result.
bool is_finished(const Run& run, const std::string& folder);

}  // namespace vsmax
