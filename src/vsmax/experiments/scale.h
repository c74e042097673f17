// SPDX-License-Identifier: Apache-2.0
// How large the experiments are made: as in the paper, or small enough for a test on a CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vsmax/torch/train/config.h"

namespace vsmax {

struct Scale {
  std::string name;
  TrainConfig protocol;              // of every training; model, seed and support are its own
  std::vector<std::uint64_t> seeds;  // the first for everything, all for the main claim
  std::vector<double> sigmas;        // noise of the tests

  std::uint64_t seed() const { return seeds.front(); }
};

// "full" or "smoke". Throws Error for another name.
Scale scale_by_name(const std::string& name);

}  // namespace vsmax
