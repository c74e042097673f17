// SPDX-License-Identifier: Apache-2.0
// The refinement network as its equations state it, in double, and weights for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/random.h"
#include "vsmax/hough/cells.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax::test {

using Layers = std::vector<ConvLayer>;

inline Layers empty_layers() {
  Layers layers;
  for (const auto& [inputs, outputs] : RefineNet::channel_counts())
    layers.push_back(
        {inputs, outputs, std::vector<float>(outputs * inputs * 9), std::vector<float>(outputs)});
  return layers;
}

// Weights of the deviation that keeps the signal's size through the layers (He et al. 2015).
inline Layers random_layers(Random& random) {
  Layers layers = empty_layers();
  for (auto& layer : layers) {
    const double deviation = std::sqrt(2.0 / (9.0 * static_cast<double>(layer.inputs)));
    layer.weights = random.normals<float>(layer.weights.size(), 0.0, deviation);
    layer.biases = random.normals<float>(layer.biases.size(), 0.0, 0.1);
  }
  return layers;
}

// Only channel 0 is used, and of every window only the cell at (dt, dr) from the centre: the
// network reads input[t + 6 dt][r + 6 dr] where the input is positive.
inline Layers shifting_layers(int dt, int dr) {
  Layers layers = empty_layers();
  for (auto& layer : layers) layer.weights[static_cast<std::size_t>((dt + 1) * 3 + dr + 1)] = 1.0F;
  return layers;
}

inline SafeTensors file_of(const Layers& layers) {
  SafeTensors file;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::string prefix = "refine." + std::to_string(l);
    const auto outputs = static_cast<std::int64_t>(layers[l].outputs);
    const auto inputs = static_cast<std::int64_t>(layers[l].inputs);
    file.tensors[prefix + ".weight"] = {{outputs, inputs, 3, 3}, layers[l].weights};
    file.tensors[prefix + ".bias"] = {{outputs}, layers[l].biases};
  }
  return file;
}

inline RefineNet net_of(const Layers& layers) { return {file_of(layers), "net"}; }

// plane[t][r] for t in [-1, rows], r in [-1, rhos]: zero beyond the largest |rho|; across the seam
// A[-1-k, r] = A[T-1-k, R-1-r] and A[T+k, r] = A[k, R-1-r] (Eq. 13), or the plain wrap on the
// double cover.
inline double padded(const std::vector<double>& plane, const CellShape& shape, int t, int r) {
  if (r < 0 || r >= shape.rhos) return 0.0;
  const int rows = shape.rows();
  const bool outside = t < 0 || t >= rows;
  const bool flipped = outside && shape.cover == Cover::kSingle;
  return plane[shape.index({(t + rows) % rows, flipped ? shape.rhos - 1 - r : r})];
}

// `rounded` is what becomes of the weights of all layers but the first, and of the values between
// layers.
template <class Rounded = std::identity>
std::vector<double> reference_net(const Layers& layers, const std::vector<float>& input,
                                  const CellShape& shape, double scale,
                                  const Rounded& rounded = {}) {
  std::vector<std::vector<double>> maps(1, std::vector<double>(input.begin(), input.end()));
  for (double& x : maps[0]) x *= scale;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<std::vector<double>> next(layers[l].outputs);
    for (std::size_t o = 0; o < next.size(); ++o)
      for (std::size_t cell = 0; cell < shape.count(); ++cell) {
        const auto [t, r] = shape.cell(cell);
        const float* weight = layers[l].weights.data() + o * maps.size() * 9;
        double sum = layers[l].biases[o];
        for (const auto& map : maps)
          for (int tap = 0; tap < 9; ++tap) {
            const auto value = static_cast<double>(*weight++);
            sum += (l == 0 ? value : rounded(value)) *
                   padded(map, shape, t + tap / 3 - 1, r + tap % 3 - 1);
          }
        next[o].push_back(l + 1 == layers.size() ? sum : rounded(std::max(sum, 0.0)));
      }
    maps = std::move(next);
  }
  return maps[0];
}

}  // namespace vsmax::test
