// SPDX-License-Identifier: Apache-2.0
// The colours that tell several lines apart, the same in overlays and explanations.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <string>

#include "draw/canvas.h"

namespace vsmax::drawing {

// The colour of the line with this rank. None is grey; the first does not occur in viridis.
inline Color line_color(std::size_t rank) {
  constexpr std::array<Color, 6> kColors{{{255, 78, 50},
                                          {0, 190, 255},
                                          {255, 214, 0},
                                          {255, 90, 220},
                                          {80, 220, 90},
                                          {170, 140, 255}}};
  return kColors[rank % kColors.size()];
}

// The style attribute that gives an SVG element this colour; the first is in the style sheet.
inline std::string color_style(const char* property, std::size_t rank) {
  if (rank == 0) return "";
  const Color color = line_color(rank);
  return fmt::format(" style='{}:#{:02x}{:02x}{:02x}'", property, color[0], color[1], color[2]);
}

}  // namespace vsmax::drawing
