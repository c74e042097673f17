// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace vsmax {

// Has no early exit, so that the loop vectorises.
inline bool all_finite(std::span<const float> values) {
  unsigned others = 0;
  for (const float value : values)
    others |= std::abs(value) <= std::numeric_limits<float>::max() ? 0U : 1U;
  return others == 0;
}

}  // namespace vsmax
