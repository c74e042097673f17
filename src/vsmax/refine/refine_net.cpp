// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/refine_net.h"

#include <algorithm>
#include <string>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/refine/conv_kernels.h"

namespace vsmax {

namespace {

void require_size(std::size_t layer, const std::string& what, std::size_t size,
                  std::size_t expected) {
  if (size != expected)
    throw Error("layer " + std::to_string(layer) + " of the refinement network has " +
                std::to_string(size) + " " + what + ", not " + std::to_string(expected));
}

// outputs x inputs x 9 -> 9 x inputs x outputs: what a kernel reads together lies together.
std::vector<float> taps_first(const ConvLayer& layer) {
  std::vector<float> weights(layer.weights.size());
  for (std::size_t o = 0; o < layer.outputs; ++o)
    for (std::size_t i = 0; i < layer.inputs; ++i)
      for (std::size_t tap = 0; tap < 9; ++tap)
        weights[(tap * layer.inputs + i) * layer.outputs + o] =
            layer.weights[(o * layer.inputs + i) * 9 + tap];
  return weights;
}

// Rows in pieces that threads can take.
template <class Body>
void for_row_pieces(std::size_t rows, int threads, const Body& body) {
  const std::size_t pieces = (rows + kWinogradRows - 1) / kWinogradRows;
  const auto one = [&](std::size_t piece, std::size_t worker) {
    const std::size_t begin = piece * kWinogradRows;
    body(RowRange{begin, std::min(begin + kWinogradRows, rows)}, worker);
  };
  if (threads == 1)
    body(RowRange{0, rows}, 0);
  else
    parallel_for(pieces, threads, one);
}

}  // namespace

RefineNet::RefineNet(std::array<ConvLayer, kLayers> layers) : layers_(std::move(layers)) {
  for (std::size_t l = 0; l < kLayers; ++l) {
    require_size(l, "inputs", layers_[l].inputs, inputs_of(l));
    require_size(l, "outputs", layers_[l].outputs, outputs_of(l));
    require_size(l, "weights", layers_[l].weights.size(), outputs_of(l) * inputs_of(l) * 9);
    require_size(l, "biases", layers_[l].biases.size(), outputs_of(l));
    direct_[l] = taps_first(layers_[l]);
    if (l == 0 || l + 1 == kLayers) continue;
    transformed_[l].resize(kWinogradPoints * kChannels * kChannels);
    transform_weights(direct_[l].data(), transformed_[l].data());
  }
}

std::size_t RefineNet::parameters() const {
  std::size_t count = 0;
  for (const auto& layer : layers_) count += layer.weights.size() + layer.biases.size();
  return count;
}

void RefineNet::forward(const float* accumulator, Cover cover, std::size_t rows, std::size_t rhos,
                        float scale, float* logits, Scratch& scratch) const {
  const FeatureShape shape{rows, rhos, cover};
  const int threads = resolve_threads(scratch.threads);
  scratch.workspaces.resize(static_cast<std::size_t>(threads));
  for (auto* map : {&scratch.even, &scratch.odd}) map->resize(rows * rhos * kChannels);
  for (auto& workspace : scratch.workspaces) workspace.resize(winograd_workspace(shape));
  float* input = scratch.even.data();
  float* output = scratch.odd.data();

  for_row_pieces(rows, threads, [&](RowRange range, std::size_t) {
    first_layer(shape, accumulator, scale, direct_.front().data(), layers_.front().biases.data(),
                input, range);
  });
  for (std::size_t l = 1; l + 1 < kLayers; ++l) {
    const float* biases = layers_[l].biases.data();
    for_row_pieces(rows, threads, [&](RowRange range, std::size_t worker) {
      if (scratch.method == Method::kDirect)
        direct_layer(shape, input, direct_[l].data(), biases, output, range);
      else
        winograd_layer(shape, input, transformed_[l].data(), biases, output, range,
                       scratch.workspaces[worker].data());
    });
    std::swap(input, output);
  }
  for_row_pieces(rows, threads, [&](RowRange range, std::size_t) {
    last_layer(shape, input, direct_.back().data(), layers_.back().biases[0], logits, range);
  });
}

}  // namespace vsmax
