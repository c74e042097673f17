// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/training_set.h"

#include <fmt/core.h>

#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"

namespace vsmax {

TrainingSet::TrainingSet(const TrainConfig& config)
    : batch_(static_cast<std::size_t>(config.batch)),
      validation_samples_(static_cast<std::size_t>(config.validation_samples)),
      sigma_max_(config.sigma_max),
      seed_(config.seed) {
  const HoughGrid grid = config.grid();
  for (const Cell cell : grid.resolvable_cells())
    if (in_support(config.support, grid, cell)) cells_.push_back(cell);
  if (cells_.size() < batch_)
    throw Error(fmt::format("batch (= {}) exceeds the number of training lines, {}", batch_,
                            cells_.size()));
}

std::vector<TrainingSample> TrainingSet::training_batch(std::uint32_t epoch,
                                                        std::size_t step) const {
  std::vector<TrainingSample> samples;
  samples.reserve(batch_);
  const auto count = static_cast<std::uint32_t>(cells_.size());
  for (std::size_t i = step * batch_; i < (step + 1) * batch_; ++i) {
    const SampleKey key{seed_, Split::kTrain, epoch, static_cast<std::uint32_t>(i)};
    samples.push_back({cells_[permuted_index(key, count)], draw_sigma(key, sigma_max_), key});
  }
  return samples;
}

std::vector<TrainingSample> TrainingSet::validation_batch(std::size_t begin,
                                                          std::size_t end) const {
  std::vector<TrainingSample> samples;
  samples.reserve(end - begin);
  const auto count = static_cast<std::uint32_t>(cells_.size());
  for (std::size_t i = begin; i < end; ++i) {
    const SampleKey key{seed_, Split::kValidation, 0, static_cast<std::uint32_t>(i)};
    SampleKey place = key;  // with more samples than lines, a line recurs with other noise
    place.index %= count;
    samples.push_back({cells_[permuted_index(place, count)], draw_sigma(key, sigma_max_), key});
  }
  return samples;
}

}  // namespace vsmax
