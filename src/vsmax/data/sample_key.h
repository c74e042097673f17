// SPDX-License-Identifier: Apache-2.0
// The identity of a synthetic sample. Everything random about it is a function of these four
// numbers and of a stream, one per use; batch, order and threads do not matter.
#pragma once

#include <cstdint>

#include "vsmax/data/philox.h"

namespace vsmax {

enum class Split : std::uint32_t { kTrain = 0, kValidation = 1, kTest = 2 };

struct SampleKey {
  std::uint64_t seed = 42;
  Split split = Split::kTest;
  std::uint32_t epoch = 0;
  std::uint32_t index = 0;
};

enum class Stream : std::uint32_t {
  kNoise = 0,
  kSigma = 1,
  kLine = 2,
  kPermutation = 3,
  kStroke = 4,
};

VSMAX_HOST_DEVICE inline PhiloxBlock draw(const SampleKey& key, Stream stream,
                                          std::uint32_t block) {
  const std::uint32_t use =
      (static_cast<std::uint32_t>(stream) << 8) | static_cast<std::uint32_t>(key.split);
  return philox(key.seed, {{block, key.index, key.epoch, use}});
}

}  // namespace vsmax
