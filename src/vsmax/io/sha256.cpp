// SPDX-License-Identifier: Apache-2.0
#include "vsmax/io/sha256.h"

#include <algorithm>
#include <cstddef>

namespace vsmax {
namespace {

constexpr const char* kHexDigits = "0123456789abcdef";

}  // namespace

Sha256::Sha256()
    : Sha256(sha256_blocks_by_instructions() != nullptr ? *sha256_blocks_by_instructions()
                                                        : sha256_blocks_anywhere) {}

// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
Sha256::Sha256(Sha256Blocks& blocks)
    : blocks_(blocks), state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::update(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto used = static_cast<std::size_t>(length_ % buffer_.size());
    if (used == 0 && bytes.size() >= buffer_.size()) {  // whole blocks need no copy
      const std::size_t blocks = bytes.size() / buffer_.size();
      blocks_(state_, bytes.data(), blocks);
      length_ += blocks * buffer_.size();
      bytes = bytes.subspan(blocks * buffer_.size());
      continue;
    }
    const std::size_t count = std::min(bytes.size(), buffer_.size() - used);
    std::copy_n(bytes.data(), count, buffer_.data() + used);
    length_ += count;
    bytes = bytes.subspan(count);
    if (used + count == buffer_.size()) blocks_(state_, buffer_.data(), 1);
  }
}

std::string Sha256::hex_digest() {
  const std::uint64_t bits = 8 * length_;
  const std::array<std::uint8_t, 64> padding = {0x80};
  // One bit, then zeros up to the last 8 bytes of a block, which hold the length.
  const auto used = static_cast<std::size_t>(length_ % 64);
  update({padding.data(), used < 56 ? 56 - used : 120 - used});
  std::array<std::uint8_t, 8> length_field{};
  for (std::size_t i = 0; i < 8; ++i) {
    length_field[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  }
  update(length_field);

  std::string hex;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += kHexDigits[(word >> shift) & 0xF];
  }
  return hex;
}

}  // namespace vsmax
