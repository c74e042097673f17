// SPDX-License-Identifier: Apache-2.0
// The weights of 3x3 convolutions: read from a file, and packed in the order the kernels read them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/base/aligned_floats.h"
#include "vsmax/io/safetensors.h"

namespace vsmax {

struct ConvLayer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<float> weights;  // outputs x inputs x 3 x 3
  std::vector<float> biases;
};

// Reads "PREFIX.0.weight", "PREFIX.0.bias", ..., one layer for each pair of inputs and outputs.
// Throws an Error whose message starts with `name` and says which tensor is missing, superfluous or
// of the wrong shape.
using ChannelCounts = std::pair<std::size_t, std::size_t>;
std::vector<ConvLayer> read_conv_layers(const SafeTensors& file, const std::string& name,
                                        const std::string& prefix,
                                        std::span<const ChannelCounts> counts);

// The weights as the kernels read them.
struct PackedLayer {
  AlignedFloats direct;       // 9 x inputs x outputs
  AlignedFloats transformed;  // for Winograd; empty unless 32 -> 32
  std::vector<float> biases;

  explicit PackedLayer(const ConvLayer& layer);
};

}  // namespace vsmax
