// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/batch.h"

#include "vsmax/torch/models/render.h"
#include "vsmax/torch/models/weights.h"

namespace vsmax {

Batch render_batch(const HoughGrid& grid, const std::vector<TrainingSample>& samples,
                   torch::Device device) {
  std::vector<LineSample> lines;
  lines.reserve(samples.size());
  const torch::Tensor truth =
      torch::empty({static_cast<std::int64_t>(samples.size()), 2}, torch::kFloat32);
  auto* value = truth.data_ptr<float>();
  for (const auto& sample : samples) {
    lines.push_back({grid.line(sample.cell), sample.sigma, sample.key});
    const UnitLine line = grid.shape().line(sample.cell);
    *value++ = static_cast<float>(line.theta);
    *value++ = static_cast<float>(line.rho);
  }
  return {render_samples(grid.frame(), lines, device), truth.to(device, /*non_blocking=*/true)};
}

void save_batch(const std::string& path, const HoughGrid& grid,
                const std::vector<TrainingSample>& samples, torch::Device device) {
  const Batch batch = render_batch(grid, samples, device);
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
