// SPDX-License-Identifier: Apache-2.0
// One model to evaluate, after training it if it is a learned one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vsmax/data/synthetic.h"
#include "vsmax/torch/train/config.h"

namespace vsmax {

// Photographs that a run is trained and tested on; the fold in its configuration is the test set.
struct PhotoSet {
  std::string folder;    // inside the folder of all data
  std::string protocol;  // horizon or guide
  int rotations = 0;     // views of each photograph; 0: only the original
};

// How a built-in model is tested, if not as in the paper.
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
  HoughGrid grid = HoughGrid::paper();  // of the lines in the test
  std::vector<double> sigmas;           // noise of the test images
  std::vector<double> map_sigmas;       // noise at which the EA of every line is kept
  std::uint64_t test_seed = 42;
  LineTest test{};
  std::optional<PhotoSet> photos;  // instead of synthetic lines

  // Changes with everything that the result depends on, except the device, the version of the code
  // and the content of the photographs.
  std::string hash() const;
};

// The file of its result in a folder of results.
std::string result_path(const Run& run, const std::string& folder);

// Whether there is a result with the run's hash. Throws Error for a file that is no result.
bool is_finished(const Run& run, const std::string& folder);

}  // namespace vsmax
