// SPDX-License-Identifier: Apache-2.0
#include "cli/extent.h"

#include <charconv>
#include <cstdint>

#include "cli/commands.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::app {

Extent parse_extent(const std::string& text, const std::string& option, const char* example) {
  Extent extent;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, extent.first);
  const bool separated = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
  const auto second = separated ? std::from_chars(first.ptr + 1, end, extent.second) : first;
  if (!separated || second.ec != std::errc() || second.ptr != end || extent.first < 1 ||
      extent.second < 1)
    throw UsageError(option + " takes two positive numbers such as " + example + ", not '" + text +
                     "'");
  return extent;
}

ImageFrame parse_size(const std::string& text) {
  const Extent size = parse_extent(text, "--size", "256x192");
  if (static_cast<std::uint64_t>(size.first) * static_cast<std::uint64_t>(size.second) > kMaxPixels)
    throw UsageError("--size " + text + " exceeds the limit of " + std::to_string(kMaxPixels) +
                     " pixels");
  return {size.first, size.second};
}

}  // namespace vsmax::app
