// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>

namespace vsmax {

// "1 image", "2 images"
template <std::integral Count>
std::string counted(Count count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace vsmax
