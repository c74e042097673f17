// SPDX-License-Identifier: Apache-2.0
// Internal: photographs, synthetic scenes and images without a line, mixed in every batch as the
// configuration says.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "vsmax/torch/photos/drawn_photos.h"
#include "vsmax/torch/photos/photos.h"
#include "vsmax/torch/train/batch_source.h"
#include "vsmax/torch/train/config.h"

namespace vsmax {

class PhotoBatches final : public BatchSource {
 public:
  // `folder` may be empty if the configuration asks for scenes only. Throws Error for a folder
  // whose labels do not fit the configuration.
  PhotoBatches(const TrainConfig& config, const std::string& folder, torch::Device device,
               const Part& part = {});

  std::size_t steps() const override { return static_cast<std::size_t>(config_.photos.steps); }
  Batch training(int epoch, std::size_t step) override;
  std::size_t validation_batches() const override;
  Batch validation(std::size_t index) override;
  void save_training(const std::string& path, int epoch, std::size_t step) override;
  void save_validation(const std::string& path, std::size_t index) override;
  std::string data_digest() const override { return digest_; }

 private:
  // How many images of each kind make a batch.
  struct Mixture {
    int64_t photos = 0;
    std::array<int64_t, kSceneKindNames.size()> drawn{};  // by SceneKind
  };

  Batch whole_training(int epoch, std::size_t step) const;
  // With its line, or NaN where none is left in the view.
  Batch photo_batch(const Photos& photos, const torch::Tensor& index,
                    const Augmentation& augmentation) const;
  void append_synthetic(const Mixture& mixture, Batch& batch) const;
  // Of the lines of each view, [B, K, 2] with NaN for none, what the configuration asks for.
  torch::Tensor chosen_lines(const torch::Tensor& polar) const;

  TrainConfig config_;
  torch::Device device_;
  Part part_;
  std::string digest_;
  Mixture mixture_;
  Photos training_;
  Photos validation_;
};

}  // namespace vsmax
