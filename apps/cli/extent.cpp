// SPDX-License-Identifier: Apache-2.0
#include "cli/extent.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/commands.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::app {
namespace {

std::optional<int> read_side(std::string_view text) {
  const auto side = read_whole(text);
  if (!side || *side < 1 || *side > kAnyInt) return std::nullopt;
  return static_cast<int>(*side);
}

std::optional<Extent> read_extent(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto first = read_side(text.substr(0, cross));
  const auto second = read_side(text.substr(cross + 1));
  if (!first || !second) return std::nullopt;
  return Extent{*first, *second};
}

}  // namespace

CLI::Validator extent(const std::string& example) {
  return CLI::Validator(
      [=](const std::string& text) {
        return read_extent(text)
                   ? std::string()
                   : "must be two positive numbers such as " + example + ", not '" + text + "'";
      },
      "");
}

Extent parse_extent(const std::string& text) { return read_extent(text).value(); }

ImageFrame parse_size(const std::string& text) {
  const Extent size = parse_extent(text);
  if (static_cast<std::uint64_t>(size.first) * static_cast<std::uint64_t>(size.second) > kMaxPixels)
    throw UsageError("--size " + text + " exceeds the limit of " + std::to_string(kMaxPixels) +
                     " pixels");
  return {size.first, size.second};
}

}  // namespace vsmax::app
