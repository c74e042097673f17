// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), implemented here so that the core library needs no cryptography package.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "vsmax/io/sha256_blocks.h"

namespace vsmax {

class Sha256 {
 public:
  Sha256();  // with the fastest function for this processor
  explicit Sha256(Sha256Blocks& blocks);
  void update(std::span<const std::uint8_t> bytes);
  std::string hex_digest();  // 64 lower-case digits; the object cannot be used afterwards

 private:
  Sha256Blocks& blocks_;
  Sha256State state_;
  std::array<std::uint8_t, 64> buffer_{};
  std::uint64_t length_ = 0;
};

}  // namespace vsmax
