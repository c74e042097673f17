// SPDX-License-Identifier: Apache-2.0
// The hard readout: the cell with the largest value, the first one in case of a tie. The seam does
// not affect it, but it is piecewise constant: its derivative is zero almost everywhere, so nothing
// can be trained through it.
#pragma once

#include <algorithm>

#include "vsmax/hough/cells.h"

namespace vsmax {

inline Cell argmax(Cells<const float> values) {
  const auto best = std::max_element(values.begin(), values.end()) - values.begin();
  return values.shape().cell(static_cast<std::size_t>(best));
}

}  // namespace vsmax
