// SPDX-License-Identifier: Apache-2.0
// The weights of refine_net_cuda, on the device.
#pragma once

#include <cstdint>
#include <span>

#include "vsmax/base/device_array.h"
#include "vsmax/conv/conv_layer.h"
#include "vsmax/refine/refine_net_cuda.h"

namespace vsmax {

class DeviceRefineWeights {
 public:
  explicit DeviceRefineWeights(std::span<const ConvLayer> layers)
      : DeviceRefineWeights(RefineWeights(layers)) {}

  RefineWeightsOnDevice on_device() const { return {values_.data(), fragments_.data()}; }

 private:
  explicit DeviceRefineWeights(const RefineWeights& weights)
      : values_(weights.values), fragments_(weights.fragments) {}

  DeviceArray<float> values_;
  DeviceArray<std::uint32_t> fragments_;
};

}  // namespace vsmax
