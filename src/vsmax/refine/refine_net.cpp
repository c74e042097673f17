// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/refine_net.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "vsmax/refine/conv_kernels.h"

namespace vsmax {
namespace {

// outputs x inputs x 9 -> 9 x inputs x outputs, the order in which the kernels read.
std::vector<float> taps_first(const ConvLayer& layer) {
  std::vector<float> weights(layer.weights.size());
  for (std::size_t o = 0; o < layer.outputs; ++o)
    for (std::size_t i = 0; i < layer.inputs; ++i)
      for (std::size_t tap = 0; tap < 9; ++tap)
        weights[(tap * layer.inputs + i) * layer.outputs + o] =
            layer.weights[(o * layer.inputs + i) * 9 + tap];
  return weights;
}

}  // namespace

RefineNet::RefineNet(std::array<ConvLayer, kLayers> layers) : layers_(std::move(layers)) {
  for (std::size_t l = 0; l < kLayers; ++l) {
    direct_[l] = taps_first(layers_[l]);
    if (l == 0 || l + 1 == kLayers) continue;
    transformed_[l].resize(kWinogradPoints * kChannels * kChannels);
    transform_weights(direct_[l].data(), transformed_[l].data());
  }
}

void RefineNet::forward(Cells<const float> accumulator, float scale, Cells<float> logits,
                        Scratch& scratch) const {
  const auto rows = static_cast<std::size_t>(accumulator.shape().rows());
  const auto rhos = static_cast<std::size_t>(accumulator.shape().rhos);
  const FeatureShape shape{rows, rhos, accumulator.shape().cover};
  // A layer's rows, in pieces that threads can take.
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
    if (layer == 0)
      first_layer(shape, accumulator.data(), scale, direct_[0].data(), layers_[0].biases.data(),
                  scratch.output_of(0), range);
    else if (layer + 1 < kLayers)
      middle_layer(layer, shape, range, worker, scratch);
    else
      last_layer(shape, scratch.output_of(layer - 1), direct_[layer].data(),
                 layers_[layer].biases[0], logits.data(), range);
  };
  // A piece needs the previous layer's rows up to one beyond either of its ends, and theta is a
  // ring. The rows it overwrites are needed by no other piece. std::ref avoids an allocation.
  scratch.pool->ring_steps(kLayers, pieces_of(piece), std::ref(work));
}

void RefineNet::middle_layer(std::size_t layer, const FeatureShape& shape, RowRange range,
                             std::size_t worker, Scratch& scratch) const {
  const float* input = scratch.output_of(layer - 1);
  const float* biases = layers_[layer].biases.data();
  float* output = scratch.output_of(layer);
  if (scratch.method == Method::kDirect)
    direct_layer(shape, input, direct_[layer].data(), biases, output, range);
  else
    winograd_layer(shape, input, transformed_[layer].data(), biases, output, range,
                   scratch.workspaces[worker].data());
}

}  // namespace vsmax
