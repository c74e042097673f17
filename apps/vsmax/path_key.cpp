// SPDX-License-Identifier: Apache-2.0
#include "path_key.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "cli/commands.h"
#include "vsmax/io/sha256.h"

namespace vsmax::app {
namespace {

std::uint64_t from_hex(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

bool parse_number(std::string_view text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [last, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && last == end;
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
  const std::size_t slash = view.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !parse_number(view.substr(0, slash), shard.index) ||
      !parse_number(view.substr(slash + 1), shard.count) || shard.index >= shard.count)
    throw UsageError("--shard must be I/N with I from 0 to N - 1, such as 0/4, got " + text);
  return shard;
}

}  // namespace vsmax::app
