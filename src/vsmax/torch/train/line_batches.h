// SPDX-License-Identifier: Apache-2.0
// Internal: the paper's synthetic lines as batches.
#pragma once

#include <string>
#include <vector>

#include "vsmax/torch/models/render.h"
#include "vsmax/torch/train/batch_source.h"
#include "vsmax/torch/train/training_set.h"

namespace vsmax {

class LineBatches final : public BatchSource {
 public:
  LineBatches(const TrainConfig& config, torch::Device device, const Part& part = {});

  std::size_t steps() const override { return set_.steps(); }
  Batch training(int epoch, std::size_t step) override;
  std::size_t staged_bytes() const override;
  void stage(int epoch, std::size_t step, std::uint8_t* to) override;
  Batch unstage(const torch::Tensor& bytes) override;
  std::size_t validation_batches() const override;
  Batch validation(std::size_t index) override;
  // The file also holds the sigmas and the sample keys.
  void save_training(const std::string& path, int epoch, std::size_t step) override;
  void save_validation(const std::string& path, std::size_t index) override;

 private:
  std::vector<TrainingSample> validation_samples(std::size_t index) const;
  std::vector<LineSample> lines_of(const std::vector<TrainingSample>& samples) const;
  Batch render(const std::vector<TrainingSample>& samples) const;
  void write_truth(const std::vector<TrainingSample>& samples, float* to) const;
  torch::Tensor truth_of(const std::vector<TrainingSample>& samples) const;
  void save(const std::string& path, const std::vector<TrainingSample>& samples) const;

  HoughGrid grid_;
  TrainingSet set_;
  std::size_t batch_;
  torch::Device device_;
  Part part_;
};

}  // namespace vsmax
