// SPDX-License-Identifier: Apache-2.0
// The hard readout: the cell with the largest value, the first of equals. Well defined on the
// strip, but constant almost everywhere: its derivative is zero, so nothing can be trained through
// it.
#pragma once

#include <algorithm>

#include "vsmax/hough/cells.h"

namespace vsmax {

inline Cell argmax(Cells<const float> values) {
  const auto best = std::max_element(values.begin(), values.end()) - values.begin();
  return values.shape().cell(static_cast<std::size_t>(best));
}

}  // namespace vsmax
