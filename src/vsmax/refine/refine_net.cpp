// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/refine_net.h"

#include <algorithm>
#include <functional>

#include "vsmax/conv/conv_kernels.h"
#include "vsmax/conv/winograd.h"

namespace vsmax {

std::vector<ChannelCounts> RefineNet::channel_counts() {
  std::vector<ChannelCounts> counts(kLayers, {kChannels, kChannels});
  counts.front().first = 1;
  counts.back().second = 1;
  return counts;
}

RefineNet::RefineNet(const SafeTensors& file, const std::string& name)
    : layers_(read_conv_layers(file, name, "refine", channel_counts())),
      packed_(layers_.begin(), layers_.end()) {}

void RefineNet::forward(Cells<const float> accumulator, float scale, Cells<float> logits,
                        Scratch& scratch) const {
  const auto rows = static_cast<std::size_t>(accumulator.shape().rows());
  const auto rhos = static_cast<std::size_t>(accumulator.shape().rhos);
  const FeatureShape shape{rows, rhos, accumulator.shape().cover};
  // Threads take a layer's rows in pieces.
  const auto pieces_of = [&](std::size_t size) { return (rows + size - 1) / size; };
  const auto threads = static_cast<int>(std::min(
      static_cast<std::size_t>(resolve_threads(scratch.threads)), pieces_of(kWinogradRows)));
  const std::size_t piece = threads == 1 ? rows : kWinogradRows;
  if (!scratch.pool || scratch.pool->threads() != threads)
    scratch.pool = std::make_unique<ThreadPool>(threads);
  scratch.workspaces.resize(static_cast<std::size_t>(threads));
  for (auto* map : {&scratch.even, &scratch.odd}) map->resize(rows * rhos * kChannels);
  for (auto& workspace : scratch.workspaces) workspace.resize(winograd_workspace(shape));

  const auto work = [&](std::size_t layer, std::size_t item, std::size_t worker) {
    const RowRange range{item * piece, std::min((item + 1) * piece, rows)};
    const PackedLayer& weights = packed_[layer];
    if (layer == 0)
      first_layer(shape, 1, accumulator.data(), scale, weights.direct.data(), weights.biases.data(),
                  scratch.output_of(0), range);
    else if (layer + 1 < kLayers)
      middle_layer(layer, shape, range, worker, scratch);
    else
      last_layer(shape, scratch.output_of(layer - 1), weights.direct.data(), weights.biases[0],
                 logits.data(), range);
  };
  // A piece reads the previous layer's rows, including one beyond each of its ends, and theta is a
  // ring. By then no other piece needs the rows that it overwrites. std::ref avoids an allocation.
  scratch.pool->ring_steps(kLayers, pieces_of(piece), std::ref(work));
}

void RefineNet::middle_layer(std::size_t layer, const FeatureShape& shape, RowRange range,
                             std::size_t worker, Scratch& scratch) const {
  const float* input = scratch.output_of(layer - 1);
  const auto& [direct, transformed, biases] = packed_[layer];
  float* output = scratch.output_of(layer);
  if (scratch.method == Method::kDirect)
    direct_layer(shape, input, direct.data(), biases.data(), output, range);
  else
    winograd_layer(shape, input, transformed.data(), biases.data(), output, range,
                   scratch.workspaces[worker].data());
}

}  // namespace vsmax
