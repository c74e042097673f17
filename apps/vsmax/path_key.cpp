// SPDX-License-Identifier: Apache-2.0
#include "path_key.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "cli/checks.h"
#include "vsmax/io/sha256.h"

namespace vsmax::app {
namespace {

std::uint64_t from_hex(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

}  // namespace

PathKey::PathKey(const std::string& path) {
  constexpr std::size_t kDigits = 16;  // 64 bits in hexadecimal
  Sha256 hash;
  hash.update({reinterpret_cast<const std::uint8_t*>(path.data()), path.size()});
  const std::string digest = hash.hex_digest();
  first = from_hex(std::string_view(digest).substr(0, kDigits));
  second = from_hex(std::string_view(digest).substr(kDigits, kDigits));
}

Shard parse_shard(const std::string& text) {
  const std::string_view view = text;
  const std::size_t slash = std::min(view.find('/'), view.size());
  const auto index = read_whole(view.substr(0, slash));
  const auto count = read_whole(view.substr(std::min(slash + 1, view.size())));
  if (!index || !count || *index >= *count)
    throw CLI::ValidationError(
        "--shard", "must be I/N with I from 0 to N - 1, such as 0/4, not '" + text + "'");
  return {*index, *count};
}

}  // namespace vsmax::app
