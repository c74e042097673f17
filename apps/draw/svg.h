// SPDX-License-Identifier: Apache-2.0
// The pieces of an SVG document that are more than a format string.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vsmax::drawing {

// Text as XML content or attribute value. Bytes that are not UTF-8 and characters that XML does not
// allow become U+FFFD.
std::string xml_text(std::string_view text);

// The value of an href that holds the PNG itself.
std::string data_uri(std::span<const std::uint8_t> png);

}  // namespace vsmax::drawing
