// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/line_batches.h"

#include <algorithm>

#include "vsmax/torch/models/render.h"
#include "vsmax/torch/models/weights.h"

namespace vsmax {

LineBatches::LineBatches(const TrainConfig& config, torch::Device device, const Part& part)
    : grid_(config.grid()),
      set_(config),
      batch_(static_cast<std::size_t>(config.batch)),
      device_(device),
      part_(part) {}

Batch LineBatches::training(int epoch, std::size_t step) {
  const auto whole = set_.training_batch(static_cast<std::uint32_t>(epoch), step);
  if (part_.count == 1) return render(whole);
  std::vector<TrainingSample> mine;
  const auto stride = static_cast<std::size_t>(part_.count);
  for (auto i = static_cast<std::size_t>(part_.index); i < whole.size(); i += stride)
    mine.push_back(whole[i]);
  Batch batch = render(mine);
  batch.whole = truth_of(whole);
  return batch;
}

std::size_t LineBatches::validation_batches() const {
  return (set_.validation_samples() + batch_ - 1) / batch_;
}

Batch LineBatches::validation(std::size_t index) { return render(validation_samples(index)); }

void LineBatches::save_training(const std::string& path, int epoch, std::size_t step) {
  save(path, set_.training_batch(static_cast<std::uint32_t>(epoch), step));
}

void LineBatches::save_validation(const std::string& path, std::size_t index) {
  save(path, validation_samples(index));
}

std::vector<TrainingSample> LineBatches::validation_samples(std::size_t index) const {
  const std::size_t begin = index * batch_;
  return set_.validation_batch(begin, std::min(begin + batch_, set_.validation_samples()));
}

Batch LineBatches::render(const std::vector<TrainingSample>& samples) const {
  std::vector<LineSample> lines;
  lines.reserve(samples.size());
  for (const auto& sample : samples)
    lines.push_back({grid_.line(sample.cell), sample.sigma, sample.key});
  return {render_samples(grid_.frame(), lines, device_), truth_of(samples), {}};
}

torch::Tensor LineBatches::truth_of(const std::vector<TrainingSample>& samples) const {
  const torch::Tensor truth =
      torch::empty({static_cast<std::int64_t>(samples.size()), 2}, torch::kFloat32);
  auto* value = truth.data_ptr<float>();
  for (const auto& sample : samples) {
    const UnitLine line = grid_.shape().line(sample.cell);
    *value++ = static_cast<float>(line.theta);
    *value++ = static_cast<float>(line.rho);
  }
  return truth.to(device_, /*non_blocking=*/true);
}

void LineBatches::save(const std::string& path, const std::vector<TrainingSample>& samples) const {
  const Batch batch = render(samples);
  SafeTensors file;
  file.tensors["images"] = file_tensor(batch.images);
  file.tensors["truth"] = file_tensor(batch.truth);
  Tensor& sigmas = file.tensors["sigma"];
  sigmas.shape = {static_cast<std::int64_t>(samples.size())};
  std::string indices;
  for (const auto& sample : samples) {
    sigmas.values.push_back(static_cast<float>(sample.sigma));
    if (!indices.empty()) indices += ',';
    indices += std::to_string(sample.key.index);
  }
  const SampleKey& key = samples.front().key;
  file.metadata = {{"seed", std::to_string(key.seed)},
                   {"split", key.split == Split::kTrain ? "train" : "validation"},
                   {"epoch", std::to_string(key.epoch)},
                   {"index", indices}};
  write_safetensors(path, file);
}

}  // namespace vsmax
