// SPDX-License-Identifier: Apache-2.0
// std::from_chars and std::to_chars. Older versions of libc++, such as Emscripten's, lack them for
// floating point and use strtod and snprintf instead.
#pragma once

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace vsmax {

template <class Number>
std::from_chars_result parse_number(std::string_view text, Number& value) {
#ifndef __cpp_lib_to_chars
  if constexpr (std::is_floating_point_v<Number>) {
    // Rejects what strtod accepts but from_chars does not: leading space or plus, hexadecimal.
    const std::size_t digits = text.starts_with('-') ? 1 : 0;
    if (text.find_first_of(" \t\n\v\f\r+xX") <= digits + 1)
      return {text.data(), std::errc::invalid_argument};
    const std::string terminated(text);
    char* end = nullptr;
    value = static_cast<Number>(std::strtod(terminated.c_str(), &end));
    const auto length = end - terminated.c_str();
    return {text.data() + length, length > 0 ? std::errc() : std::errc::invalid_argument};
  } else
#endif
    return std::from_chars(text.data(), text.data() + text.size(), value);
}

// The shortest decimal that reads back as the same number; without to_chars, possibly a longer one.
inline std::string decimal(double value) {
  std::array<char, 32> text{};  // holds any double
#ifdef __cpp_lib_to_chars
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
#else
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
#endif
}

}  // namespace vsmax
