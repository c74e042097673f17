// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), implemented here so that the core library needs no cryptography package.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace vsmax {

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::uint8_t> bytes);
  std::string hex_digest();  // 64 lower-case digits; the object cannot be used afterwards

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> buffer_{};
  std::uint64_t length_ = 0;
};

}  // namespace vsmax
