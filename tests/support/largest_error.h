// SPDX-License-Identifier: Apache-2.0
// How far values in any precision are from the truth in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace vsmax::test {

// Infinite where a value is NaN.
template <class Value>
double largest_error(const std::vector<Value>& values, const std::vector<double>& truth) {
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = std::abs(static_cast<double>(values[i]) - truth[i]);
    largest =
        std::max(largest, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  return largest;
}

}  // namespace vsmax::test
