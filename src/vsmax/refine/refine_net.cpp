// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/refine_net.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "vsmax/base/error.h"

namespace vsmax {

namespace {

// Feature maps carry a border of one cell: the rows past the seam and the zeros past +-D.
struct PaddedShape {
  std::size_t rows, rhos;
  std::size_t stride() const { return rhos + 2; }
  std::size_t plane() const { return (rows + 2) * stride(); }
  std::size_t at(std::size_t t, std::size_t r) const { return (t + 1) * stride() + r + 1; }
};

void fill_border(const PaddedShape& shape, Cover cover, float* plane) {
  const auto rows = static_cast<int>(shape.rows);
  for (const int t : {-1, rows}) {
    const CoverRow source = cover_row(cover, rows, t);
    const float* from = plane + shape.at(static_cast<std::size_t>(source.row), 0);
    float* to = plane + static_cast<std::size_t>(t + 1) * shape.stride() + 1;
    if (source.flipped)
      std::reverse_copy(from, from + shape.rhos, to);
    else
      std::copy(from, from + shape.rhos, to);
  }
  for (std::size_t t = 0; t < shape.rows + 2; ++t) {
    plane[t * shape.stride()] = 0.0F;
    plane[t * shape.stride() + shape.rhos + 1] = 0.0F;
  }
}

// The positive part of a map, and its border.
void finish_map(const PaddedShape& shape, Cover cover, float* plane) {
  for (std::size_t t = 0; t < shape.rows; ++t) {
    float* row = plane + shape.at(t, 0);
    std::for_each(row, row + shape.rhos, [](float& x) { x = std::max(x, 0.0F); });
  }
  fill_border(shape, cover, plane);
}

// The compiler builds the loops for several instruction sets and the loader picks one.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && !defined(VSMAX_SANITIZED)
#define VSMAX_FOR_EVERY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VSMAX_FOR_EVERY_PROCESSOR
#endif

// Row t of all maps in strips of kLanes cells, for kOutputs maps at a time: the sums of a strip
// stay in registers over all inputs, and a cell once read serves every output. Needs rhos >=
// kLanes, the last strip overlapping the one before, and a multiple of kOutputs.
constexpr std::size_t kOutputs = 4;
constexpr std::size_t kLanes = 16;
static_assert(RefineNet::kChannels % kOutputs == 0);
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

VSMAX_FOR_EVERY_PROCESSOR
void convolve_strips(const float* input, const PaddedShape& shape, const ConvLayer& layer,
                     std::size_t t, float* output) {
  for (std::size_t strip = 0; strip < shape.rhos; strip += kLanes) {
    const std::size_t r = std::min(strip, shape.rhos - kLanes);
    for (std::size_t first = 0; first < layer.outputs; first += kOutputs) {
      const float* weights = layer.weights.data() + first * layer.inputs * 9;
      Lanes sums[kOutputs];
      for (std::size_t o = 0; o < kOutputs; ++o) sums[o] = Lanes{} + layer.biases[first + o];
      for (std::size_t i = 0; i < layer.inputs; ++i)
        for (std::size_t dt = 0; dt < 3; ++dt)
          for (std::size_t dr = 0; dr < 3; ++dr) {
            Lanes cells;
            std::memcpy(&cells, input + i * shape.plane() + (t + dt) * shape.stride() + r + dr,
                        sizeof cells);
            for (std::size_t o = 0; o < kOutputs; ++o)
              sums[o] += weights[((o * layer.inputs + i) * 3 + dt) * 3 + dr] * cells;
          }
      for (std::size_t o = 0; o < kOutputs; ++o)
        std::memcpy(output + (first + o) * shape.plane() + shape.at(t, r), &sums[o],
                    sizeof sums[o]);
    }
  }
}

// The same for one map of any width: out[r] = bias + sum over inputs and the 3x3 window.
VSMAX_FOR_EVERY_PROCESSOR
void convolve_row(const float* input, const PaddedShape& shape, const ConvLayer& layer,
                  std::size_t o, std::size_t t, float* out) {
  std::fill(out, out + shape.rhos, layer.biases[o]);
  for (std::size_t i = 0; i < layer.inputs; ++i)
    for (std::size_t dt = 0; dt < 3; ++dt) {
      const float* from = input + i * shape.plane() + (t + dt) * shape.stride();
      const float* w = layer.weights.data() + ((o * layer.inputs + i) * 3 + dt) * 3;
      for (std::size_t r = 0; r < shape.rhos; ++r)
        out[r] += w[0] * from[r] + w[1] * from[r + 1] + w[2] * from[r + 2];
    }
}

std::size_t inputs_of(std::size_t layer) { return layer == 0 ? 1 : RefineNet::kChannels; }

std::size_t outputs_of(std::size_t layer) {
  return layer + 1 == RefineNet::kLayers ? 1 : RefineNet::kChannels;
}

void require_size(std::size_t layer, const std::string& what, std::size_t size,
                  std::size_t expected) {
  if (size != expected)
    throw Error("layer " + std::to_string(layer) + " of the refinement network has " +
                std::to_string(size) + " " + what + ", not " + std::to_string(expected));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const auto extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

const std::vector<float>& require_tensor(const SafeTensors& file, const std::string& name,
                                         const std::string& key,
                                         const std::vector<std::int64_t>& shape) {
  const auto found = file.tensors.find(key);
  if (found == file.tensors.end()) throw Error(name + ": the tensor '" + key + "' is missing");
  if (found->second.shape != shape)
    throw Error(name + ": the tensor '" + key + "' is " + shape_text(found->second.shape) +
                ", not " + shape_text(shape));
  return found->second.values;
}

std::array<ConvLayer, RefineNet::kLayers> layers_from_file(const SafeTensors& file,
                                                           const std::string& name) {
  std::array<ConvLayer, RefineNet::kLayers> layers;
  std::set<std::string> known;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    ConvLayer& layer = layers[l];
    layer.inputs = inputs_of(l);
    layer.outputs = outputs_of(l);
    const auto outputs = static_cast<std::int64_t>(layer.outputs);
    const auto inputs = static_cast<std::int64_t>(layer.inputs);
    const std::string weight = "refine." + std::to_string(l) + ".weight";
    const std::string bias = "refine." + std::to_string(l) + ".bias";
    layer.weights = require_tensor(file, name, weight, {outputs, inputs, 3, 3});
    layer.biases = require_tensor(file, name, bias, {outputs});
    known.insert({weight, bias});
  }
  for (const auto& [key, tensor] : file.tensors)
    if (known.count(key) == 0)
      throw Error(name + ": the tensor '" + key + "' does not belong to the refinement network");
  return layers;
}

}  // namespace

RefineNet::RefineNet(const SafeTensors& file, const std::string& name)
    : layers_(layers_from_file(file, name)) {}

RefineNet::RefineNet(std::array<ConvLayer, kLayers> layers) : layers_(std::move(layers)) {
  for (std::size_t l = 0; l < kLayers; ++l) {
    require_size(l, "inputs", layers_[l].inputs, inputs_of(l));
    require_size(l, "outputs", layers_[l].outputs, outputs_of(l));
    require_size(l, "weights", layers_[l].weights.size(), outputs_of(l) * inputs_of(l) * 9);
    require_size(l, "biases", layers_[l].biases.size(), outputs_of(l));
  }
}

std::size_t RefineNet::parameters() const {
  std::size_t count = 0;
  for (const auto& layer : layers_) count += layer.weights.size() + layer.biases.size();
  return count;
}

void RefineNet::forward(const float* accumulator, Cover cover, std::size_t rows, std::size_t rhos,
                        float scale, float* logits, Scratch& scratch) const {
  const PaddedShape shape{rows, rhos};
  for (auto* buffer : {&scratch.even, &scratch.odd})
    if (buffer->size() < kChannels * shape.plane()) buffer->resize(kChannels * shape.plane());
  float* input = scratch.even.data();
  float* output = scratch.odd.data();

  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t r = 0; r < rhos; ++r)
      input[shape.at(t, r)] = scale * accumulator[t * rhos + r];
  fill_border(shape, cover, input);

  for (std::size_t l = 0; l < kLayers; ++l) {
    const ConvLayer& layer = layers_[l];
    const bool last = l + 1 == kLayers;
    for (std::size_t t = 0; t < rows; ++t) {
      if (!last && rhos >= kLanes) {
        convolve_strips(input, shape, layer, t, output);
        continue;
      }
      for (std::size_t o = 0; o < layer.outputs; ++o)
        convolve_row(input, shape, layer, o, t,
                     last ? logits + t * rhos : output + o * shape.plane() + shape.at(t, 0));
    }
    if (!last)
      for (std::size_t o = 0; o < layer.outputs; ++o)
        finish_map(shape, cover, output + o * shape.plane());
    std::swap(input, output);
  }
}

}  // namespace vsmax
