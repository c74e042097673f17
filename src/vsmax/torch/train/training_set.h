// SPDX-License-Identifier: Apache-2.0
// Which lines a run sees, and in which order. Every sample is a pure function of (seed, split,
// epoch, index), so a resumed run draws exactly the same samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/data/sample_key.h"
#include "vsmax/hough/grid.h"
#include "vsmax/torch/train/config.h"

namespace vsmax {

struct TrainingSample {
  Cell cell;
  double sigma = 0.0;
  SampleKey key;  // of its noise
};

class TrainingSet {
 public:
  // Throws Error if the support holds fewer lines than one batch.
  explicit TrainingSet(const TrainConfig& config);

  std::size_t lines() const { return cells_.size(); }

  // An epoch is a permutation of all lines, without the last partial batch.
  std::size_t steps() const { return lines() / batch_; }
  std::vector<TrainingSample> training_batch(std::uint32_t epoch, std::size_t step) const;

  // Held-out samples, the same in every epoch: lines from the same set, with other noise.
  std::size_t validation_samples() const { return validation_samples_; }
  std::vector<TrainingSample> validation_batch(std::size_t begin, std::size_t end) const;

 private:
  std::vector<Cell> cells_;
  std::size_t batch_;
  std::size_t validation_samples_;
  double sigma_max_;
  std::uint64_t seed_;
};

}  // namespace vsmax
