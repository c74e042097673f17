// SPDX-License-Identifier: Apache-2.0
// The weights of the built-in model `paper`: models/vsmax-vs-s42.safetensors, made a part of the
// library by the build, so that the model is there wherever the library is.
#pragma once

#include <cstdint>
#include <span>

namespace vsmax {

// The bytes of the file.
std::span<const std::uint8_t> paper_model_bytes();

}  // namespace vsmax
