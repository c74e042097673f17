// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/line_batches.h"

#include <algorithm>

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

// The staged bytes hold the samples to render, then the truth.
std::size_t LineBatches::staged_bytes() const {
  if (!device_.is_cuda() || part_.count != 1) return 0;
  return batch_ * (staged_sample_bytes() + 2 * sizeof(float));
}

void LineBatches::stage(int epoch, std::size_t step, std::uint8_t* to) {
  const auto samples = set_.training_batch(static_cast<std::uint32_t>(epoch), step);
  stage_samples(lines_of(samples), to);
  write_truth(samples, reinterpret_cast<float*>(to + batch_ * staged_sample_bytes()));
}

Batch LineBatches::unstage(const torch::Tensor& bytes) {
  const auto count = static_cast<std::int64_t>(batch_);
  const auto split = static_cast<std::int64_t>(batch_ * staged_sample_bytes());
  const torch::Tensor truth = bytes.narrow(0, split, bytes.size(0) - split);
  return {
      render_staged(grid_.frame(), bytes, count), truth.view(torch::kFloat32).view({count, 2}), {}};
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

std::vector<LineSample> LineBatches::lines_of(const std::vector<TrainingSample>& samples) const {
  std::vector<LineSample> lines;
  lines.reserve(samples.size());
  for (const auto& sample : samples)
    lines.push_back({grid_.line(sample.cell), sample.sigma, sample.key});
  return lines;
}

Batch LineBatches::render(const std::vector<TrainingSample>& samples) const {
  return {render_samples(grid_.frame(), lines_of(samples), device_), truth_of(samples), {}};
}

void LineBatches::write_truth(const std::vector<TrainingSample>& samples, float* to) const {
  for (const auto& sample : samples) {
    const UnitLine line = grid_.shape().line(sample.cell);
    *to++ = static_cast<float>(line.theta);
    *to++ = static_cast<float>(line.rho);
  }
}

torch::Tensor LineBatches::truth_of(const std::vector<TrainingSample>& samples) const {
  const torch::Tensor truth =
      torch::empty({static_cast<std::int64_t>(samples.size()), 2},
                   torch::TensorOptions().dtype(torch::kFloat32).pinned_memory(device_.is_cuda()));
  write_truth(samples, truth.data_ptr<float>());
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
