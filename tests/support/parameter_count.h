// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "vsmax/conv/conv_layer.h"

namespace vsmax::test {

inline std::size_t parameter_count(std::span<const ConvLayer> layers) {
  std::size_t count = 0;
  for (const auto& layer : layers) count += layer.weights.size() + layer.biases.size();
  return count;
}

}  // namespace vsmax::test
