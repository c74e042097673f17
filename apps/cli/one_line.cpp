// SPDX-License-Identifier: Apache-2.0
#include "cli/one_line.h"

#include <fmt/core.h>

namespace vsmax::app {
namespace {

std::string escaped(unsigned char control) {
  switch (control) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", control);
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr unsigned char kDelete = 0x7F;
  std::string line;
  while (!text.empty()) {
    const auto byte = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    std::size_t length = 1;
    if (byte(0) < ' ' || byte(0) == kDelete) {
      line += escaped(static_cast<unsigned char>(text.front()));
    } else if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) {
      line += fmt::format("\\u{:04x}", byte(1));  // U+0080 to U+009F, in UTF-8
      length = 2;
    } else if (byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) | 1U) == 0xA9) {
      line += fmt::format("\\u20{:02x}", byte(2) - 0x80);  // the separators of lines and paragraphs
      length = 3;
    } else {
      line += text.front();
    }
    text.remove_prefix(length);
  }
  return line;
}

}  // namespace vsmax::app
