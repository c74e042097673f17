// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four
// random words from a 128-bit counter and a 64-bit key, without state. Every draw can be made
// anywhere, in any order. Compiles for CUDA as well, so that a device draws the same numbers.
#pragma once

#include <cstdint>

#include "vsmax/base/host_device.h"

namespace vsmax {

struct PhiloxBlock {
  std::uint32_t word[4];
};

VSMAX_HOST_DEVICE inline PhiloxBlock philox(std::uint64_t key, PhiloxBlock counter) {
  constexpr std::uint32_t kMultiply0 = 0xD2511F53U;
  constexpr std::uint32_t kMultiply1 = 0xCD9E8D57U;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiply0} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{kMultiply1} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(product0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

// A uniform number in (0, 1): the centre of one of 2^23 equal intervals, exact in float.
VSMAX_HOST_DEVICE inline float uniform_from_word(std::uint32_t word) {
  return (static_cast<float>(word >> 9) + 0.5F) * 0x1p-23F;
}

}  // namespace vsmax
