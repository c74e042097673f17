// SPDX-License-Identifier: Apache-2.0
// The hard readout: the cell with the largest value, the first of equals. Well defined on the
// strip, but constant almost everywhere: its derivative is zero, so nothing can be trained through
// it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "vsmax/hough/grid.h"

namespace vsmax {

// values: T x R of the grid.
template <class Value>
Cell argmax(const HoughGrid& grid, const Value* values) {
  const auto best = std::max_element(values, values + grid.cells()) - values;
  return {static_cast<int>(best / grid.rhos()), static_cast<int>(best % grid.rhos())};
}

}  // namespace vsmax
