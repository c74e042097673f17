// SPDX-License-Identifier: Apache-2.0
// The weights of the built-in models, embedded by the build, so that the models are available
// wherever the library is.
#pragma once

#include <cstdint>
#include <span>

namespace vsmax {

// The bytes of models/vsmax-vs-s42.safetensors (`paper`) and models/horizon.safetensors.
std::span<const std::uint8_t> paper_model_bytes();
std::span<const std::uint8_t> horizon_model_bytes();

}  // namespace vsmax
