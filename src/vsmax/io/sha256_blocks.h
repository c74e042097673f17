// SPDX-License-Identifier: Apache-2.0
// Internal: the compression function of SHA-256, on any processor and on those with instructions
// for it (x86-64's SHA extensions), which are about six times as fast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vsmax {

using Sha256State = std::array<std::uint32_t, 8>;

// Takes `count` blocks of 64 bytes into the state.
using Sha256Blocks = void(Sha256State& state, const std::uint8_t* blocks, std::size_t count);

Sha256Blocks sha256_blocks_anywhere;

// Null if this processor or this build lacks the instructions.
Sha256Blocks* sha256_blocks_by_instructions();

}  // namespace vsmax
