// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace vsmax {

// Without a way out of the loop, so that the compiler looks at several values at once.
inline bool all_finite(const float* values, std::size_t count) {
  unsigned others = 0;
  for (std::size_t i = 0; i < count; ++i)
    others |= std::abs(values[i]) <= std::numeric_limits<float>::max() ? 0U : 1U;
  return others == 0;
}

}  // namespace vsmax
