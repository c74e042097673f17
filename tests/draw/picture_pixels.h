// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "draw/canvas.h"

namespace vsmax::drawing {

inline Color pixel(const RgbImage& picture, int column, int row) {
  const auto i = 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) +
                      static_cast<std::size_t>(column));
  return {picture.pixels.at(i), picture.pixels.at(i + 1), picture.pixels.at(i + 2)};
}

}  // namespace vsmax::drawing
