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
  bool close = true;  // whether it counts in the deviations, which far modes would blow up
};

// Of lines drawn with these weights. Needs a positive weight among the close ones.
LineSpread spread_around(PixelLine estimate, const std::vector<WeightedLine>& lines);

}  // namespace vsmax
