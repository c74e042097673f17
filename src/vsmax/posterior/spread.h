// SPDX-License-Identifier: Apache-2.0
// The spread of a posterior around an estimate.
#pragma once

#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/geometry/line_spread.h"

namespace vsmax {

struct WeightedLine {
  PixelLine line;
  double weight = 0.0;
  bool close = true;  // whether it enters the deviations, which distant modes would inflate
};

// The spread of lines with these weights. At least one close line must have a positive weight.
LineSpread spread_around(PixelLine estimate, const std::vector<WeightedLine>& lines);

}  // namespace vsmax
