// SPDX-License-Identifier: Apache-2.0
#include "vsmax/conv/conv_layer.h"

#include <cstdint>
#include <set>

#include "vsmax/base/error.h"
#include "vsmax/conv/winograd.h"

namespace vsmax {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const auto extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
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

}  // namespace

std::vector<ConvLayer> read_conv_layers(const SafeTensors& file, const std::string& name,
                                        const std::string& prefix,
                                        std::span<const ChannelCounts> counts) {
  std::vector<ConvLayer> layers;
  std::set<std::string> known;
  for (const auto& [inputs, outputs] : counts) {
    const std::string key = prefix + "." + std::to_string(layers.size());
    const auto in = static_cast<std::int64_t>(inputs);
    const auto out = static_cast<std::int64_t>(outputs);
    layers.push_back({inputs, outputs, require_tensor(file, name, key + ".weight", {out, in, 3, 3}),
                      require_tensor(file, name, key + ".bias", {out})});
    known.insert({key + ".weight", key + ".bias"});
  }
  for (const auto& [key, tensor] : file.tensors)
    if (key.starts_with(prefix + ".") && known.count(key) == 0)
      throw Error(name + ": the tensor '" + key + "' does not belong to the network '" + prefix +
                  "' of " + std::to_string(layers.size()) + " layers");
  return layers;
}

PackedLayer::PackedLayer(const ConvLayer& layer)
    : direct(layer.weights.size()), biases(layer.biases) {
  for (std::size_t o = 0; o < layer.outputs; ++o)
    for (std::size_t i = 0; i < layer.inputs; ++i)
      for (std::size_t tap = 0; tap < 9; ++tap)
        direct[(tap * layer.inputs + i) * layer.outputs + o] =
            layer.weights[(o * layer.inputs + i) * 9 + tap];
  if (layer.inputs != kConvChannels || layer.outputs != kConvChannels) return;
  transformed.resize(kWinogradPoints * kConvChannels * kConvChannels);
  transform_weights(direct.data(), transformed.data());
}

}  // namespace vsmax
