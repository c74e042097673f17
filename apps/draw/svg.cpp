// SPDX-License-Identifier: Apache-2.0
#include "draw/svg.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace vsmax::drawing {
namespace {

// Bytes of the UTF-8 sequence that `text` begins with; 0 if it is malformed or not a character of
// XML 1.0 (control characters, surrogates, U+FFFE, U+FFFF).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  unsigned code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const unsigned smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest || code > 0x10FFFF || surrogate || (code | 1U) == 0xFFFF) return 0;
  return length;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      result += "\xEF\xBF\xBD";  // U+FFFD
    else if (std::string_view("&<>\"'").find(text.front()) != std::string_view::npos)
      result += fmt::format("&#{};", static_cast<int>(text.front()));
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string data_uri(std::span<const std::uint8_t> png) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result = "data:image/png;base64,";
  for (std::size_t i = 0; i < png.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8U) | (i + k < png.size() ? png[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      result += i + k > png.size() ? '=' : kDigits[(bits >> (18U - 6U * k)) & 0x3FU];
  }
  return result;
}

}  // namespace vsmax::drawing
