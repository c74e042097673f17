// SPDX-License-Identifier: Apache-2.0
// Paths by their SHA-256: to divide images into shards, and to remember millions of them in 40
// bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>

namespace vsmax::app {

// The first 128 bits of the digest; two of ten million paths agree with a probability of 1e-25.
struct PathKey {
  explicit PathKey(const std::string& path);
  bool operator==(const PathKey&) const = default;

  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

struct PathKeyHash {
  std::size_t operator()(const PathKey& key) const noexcept { return key.first; }
};
using PathSet = std::unordered_set<PathKey, PathKeyHash>;

// Part `index` of `count`. Whether an image belongs to it depends only on the image's path, not on
// the other images or their order.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  bool has(const PathKey& key) const { return key.first % count == index; }
};

// Parses I/N with I in [0, N). Throws CLI::ValidationError.
Shard parse_shard(const std::string& text);

}  // namespace vsmax::app
