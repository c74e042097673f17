// SPDX-License-Identifier: Apache-2.0
// One model to evaluate, after training it if it is a learned one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vsmax/data/synthetic.h"
#include "vsmax/torch/train/config.h"

namespace vsmax {

// Photographs that a run is trained and tested on: its configuration's fold of them is the test.
struct PhotoSet {
  std::string folder;    // in the folder of all data
  std::string protocol;  // horizon or guide
  int rotations = 0;     // views of each photograph; 0: as it is
};

// How a model without weights is tested, if not as in the paper.
struct LineTest {
  bool continuous = false;  // lines off the grid
  Stroke stroke{};
  std::size_t sample = 0;  // 0: all lines

  friend bool operator==(const LineTest&, const LineTest&) = default;
};

struct Run {
  std::string name;    // of its files: vsmax-vs-s42
  std::string family;  // in the suite: vsmax-vs
  std::string model;
  std::optional<TrainConfig> training;  // empty for a built-in model
  HoughGrid grid = HoughGrid::paper();  // its lines are the test
  std::vector<double> sigmas;           // noise of the test images
  std::vector<double> map_sigmas;       // where the EA of every line is kept
  std::uint64_t test_seed = 42;
  LineTest test{};
  std::optional<PhotoSet> photos;  // the test, instead of synthetic lines

  // Changes with everything the result depends on, except the device and the version of the code.
  std::string hash() const;
};

// The file of its result in a folder of results.
std::string result_path(const Run& run, const std::string& folder);

// Whether there is a result with the run's hash. Throws Error for a file that is no result.
bool is_finished(const Run& run, const std::string& folder);

}  // namespace vsmax
