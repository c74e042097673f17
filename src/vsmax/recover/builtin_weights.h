// SPDX-License-Identifier: Apache-2.0
// The weights of the built-in models, embedded by the build, so that the models are available
// wherever the library is.
#pragma once

#include <cstdint>
#include <span>

namespace vsmax {

// The bytes of vsmax-vs-s42 (`paper`), horizon and photo-lines in models/.
std::span<const std::uint8_t> paper_model_bytes();
std::span<const std::uint8_t> horizon_model_bytes();
std::span<const std::uint8_t> photo_lines_model_bytes();

}  // namespace vsmax
