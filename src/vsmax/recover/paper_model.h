// SPDX-License-Identifier: Apache-2.0
// The weights of the built-in model `paper`: models/vsmax-vs-s42.safetensors, embedded
// by the build, so that the model is available wherever the library is.
#pragma once

#include <cstdint>
#include <span>

namespace vsmax {

// The bytes of the file.
std::span<const std::uint8_t> paper_model_bytes();

}  // namespace vsmax
