// SPDX-License-Identifier: Apache-2.0
// Helpers for writing SVG documents.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vsmax::drawing {

// Text as XML content or attribute value. Bytes that are not UTF-8 and characters that XML does not
// allow become U+FFFD.
std::string xml_text(std::string_view text);

// A data URI that embeds the PNG, for an href.
std::string data_uri(std::span<const std::uint8_t> png);

}  // namespace vsmax::drawing
