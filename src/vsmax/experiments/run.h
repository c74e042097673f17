// SPDX-License-Identifier: Apache-2.0
// One model to evaluate, and to train before if it learns. Items share runs by their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vsmax/experiments/scale.h"

namespace vsmax {

struct Run {
  std::string name;   // of its files: vsmax-vs-s42
  std::string model;  // argmax and posterior are not trained
  std::optional<TrainConfig> training;
  HoughGrid grid = HoughGrid::paper();  // whose lines are the tests
  std::vector<double> sigmas;           // noise of the tests
  std::vector<double> map_sigmas;       // those of which EA is kept for every cell
  std::uint64_t test_seed = 42;         // one for all runs: they see the same images

  // Changes with all that the result depends on, but for the device and the version of the code.
  std::string hash() const;
};

// The noise at which the paper compares its methods, beyond that of the training.
inline constexpr double kTestSigma = 0.6;

Run trained_run(const Scale& scale, const std::string& model, std::uint64_t seed);
inline Run trained_run(const Scale& scale, const std::string& model) {
  return trained_run(scale, model, scale.seed());
}

// Trained on a part of line space alone.
Run support_run(const Scale& scale, const std::string& model, Support support);

// The reverse Hough transform with a target of this width, in bins.
Run rht_run(const Scale& scale, double target_width);

// Without training: the classical Hough transform, and the ceiling.
Run argmax_run(const Scale& scale);
Run posterior_run(const Scale& scale);

}  // namespace vsmax
