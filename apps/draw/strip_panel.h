// SPDX-License-Identifier: Apache-2.0
// A panel of the explanation that shows values over all lines, with its axes, as SVG.
#pragma once

#include <string>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax::drawing {

inline constexpr double kPanelSide = 240.0;  // SVG units; the fixed parts are drawn for it

struct StripPanel {
  const HoughGrid& grid;
  std::vector<float> shades;  // T x R in [0, 1]
  const PixelLine* line;      // to ring, null for none
  const Cell* peak;           // to enlarge in an inset, null for none
};

// With its top left corner at the origin. The axes take 60 units on the left and 44 below.
std::string strip_panel_svg(const StripPanel& panel);

}  // namespace vsmax::drawing
