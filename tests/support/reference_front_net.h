// SPDX-License-Identifier: Apache-2.0
// The front end as its definition states it, in double, and weights for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "support/random.h"
#include "vsmax/evidence/front_net.h"
#include "vsmax/io/safetensors.h"

namespace vsmax::test {

// Weights of the deviation that keeps the signal's size through the layers (He et al. 2015).
inline SafeTensors random_front(Random& random) {
  SafeTensors file;
  std::size_t layer = 0;
  for (const auto& [inputs, outputs] : FrontNet::channel_counts()) {
    const std::string key = "front." + std::to_string(layer++);
    const double deviation = std::sqrt(2.0 / (9.0 * static_cast<double>(inputs)));
    file.tensors[key + ".weight"] = {
        {static_cast<std::int64_t>(outputs), static_cast<std::int64_t>(inputs), 3, 3},
        random.normals<float>(outputs * inputs * 9, 0.0, deviation)};
    file.tensors[key + ".bias"] = {{static_cast<std::int64_t>(outputs)},
                                   random.normals<float>(outputs, 0.0, 0.1)};
  }
  return file;
}

inline FrontNet random_front_net(Random& random) { return FrontNet(random_front(random), "front"); }

// Channels first, as in the equations.
struct Planes {
  std::size_t channels, rows, columns;
  std::vector<double> values;

  Planes(std::size_t c, std::size_t r, std::size_t k)
      : channels(c), rows(r), columns(k), values(c * r * k) {}
  double& at(std::size_t c, std::size_t y, std::size_t x) {
    return values[(c * rows + y) * columns + x];
  }
  double at(std::size_t c, std::size_t y, std::size_t x) const {
    return values[(c * rows + y) * columns + x];
  }
};

inline Planes convolved(const Planes& input, const ConvLayer& layer) {
  Planes output(layer.outputs, input.rows, input.columns);
  for (std::size_t o = 0; o < layer.outputs; ++o)
    for (std::size_t y = 0; y < input.rows; ++y)
      for (std::size_t x = 0; x < input.columns; ++x) {
        double sum = layer.biases[o];
        for (std::size_t i = 0; i < layer.inputs; ++i)
          for (std::size_t tap = 0; tap < 9; ++tap) {
            const std::size_t row = y + tap / 3 - 1;  // wraps to a huge number above the first
            const std::size_t column = x + tap % 3 - 1;
            if (row < input.rows && column < input.columns)
              sum += layer.weights[(o * layer.inputs + i) * 9 + tap] * input.at(i, row, column);
          }
        output.at(o, y, x) = sum;
      }
  return output;
}

inline Planes positive(Planes planes) {
  for (double& value : planes.values) value = std::max(value, 0.0);
  return planes;
}

inline Planes halved(const Planes& input) {
  Planes output(input.channels, input.rows / 2, input.columns / 2);
  for (std::size_t c = 0; c < output.channels; ++c)
    for (std::size_t y = 0; y < output.rows; ++y)
      for (std::size_t x = 0; x < output.columns; ++x)
        output.at(c, y, x) = (input.at(c, 2 * y, 2 * x) + input.at(c, 2 * y, 2 * x + 1) +
                              input.at(c, 2 * y + 1, 2 * x) + input.at(c, 2 * y + 1, 2 * x + 1)) /
                             4.0;
  return output;
}

inline Planes with_doubled(Planes larger, const Planes& smaller) {
  const auto position = [](std::size_t i, std::size_t count) {
    return std::clamp((static_cast<double>(i) + 0.5) / 2.0 - 0.5, 0.0,
                      static_cast<double>(count - 1));
  };
  for (std::size_t c = 0; c < larger.channels; ++c)
    for (std::size_t y = 0; y < larger.rows; ++y)
      for (std::size_t x = 0; x < larger.columns; ++x) {
        const double v = position(y, smaller.rows);
        const double h = position(x, smaller.columns);
        const auto y0 = static_cast<std::size_t>(v);
        const auto x0 = static_cast<std::size_t>(h);
        const std::size_t y1 = std::min(y0 + 1, smaller.rows - 1);
        const std::size_t x1 = std::min(x0 + 1, smaller.columns - 1);
        const double below = v - std::floor(v);
        const double right = h - std::floor(h);
        larger.at(c, y, x) +=
            (1.0 - below) *
                ((1.0 - right) * smaller.at(c, y0, x0) + right * smaller.at(c, y0, x1)) +
            below * ((1.0 - right) * smaller.at(c, y1, x0) + right * smaller.at(c, y1, x1));
      }
  return larger;
}

// image: rows x columns x 3.
inline std::vector<double> reference_front(const std::vector<ConvLayer>& layers,
                                           const std::vector<float>& image,
                                           const ImageFrame& frame) {
  Planes planes(3, static_cast<std::size_t>(frame.height), static_cast<std::size_t>(frame.width));
  for (std::size_t i = 0; i < image.size(); ++i)
    planes.values[i % 3 * frame.pixels() + i / 3] = image[i];
  auto layer = layers.begin();
  std::vector<Planes> scales;
  for (std::size_t s = 0; s < FrontNet::kScales; ++s) {
    planes = positive(convolved(s == 0 ? planes : halved(planes), *layer++));
    planes = positive(convolved(planes, *layer++));
    scales.push_back(planes);
  }
  for (std::size_t s = FrontNet::kScales - 1; s-- > 0;)
    planes = positive(convolved(with_doubled(scales[s], planes), *layer++));
  planes = convolved(planes, *layer);
  for (double& value : planes.values) value = std::log1p(std::exp(value));
  return planes.values;
}

}  // namespace vsmax::test
