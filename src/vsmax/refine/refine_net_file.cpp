// SPDX-License-Identifier: Apache-2.0
// The network from its weights file.
#include <set>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {
namespace {

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
    layer.inputs = RefineNet::inputs_of(l);
    layer.outputs = RefineNet::outputs_of(l);
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
    : RefineNet(layers_from_file(file, name)) {}

}  // namespace vsmax
