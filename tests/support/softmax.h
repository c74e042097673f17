// SPDX-License-Identifier: Apache-2.0
// Softmax with temperature (Eq. 15), in double inside: p_i = exp((a_i - max a) / tau) / sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "vsmax/base/error.h"

namespace vsmax {

// probabilities and logits: `count` values each, count > 0; the two may be the same memory.
// Throws Error for a NaN or infinite logit, and for a temperature that is not positive.
template <class Value>
void softmax(const Value* logits, std::size_t count, double temperature, Value* probabilities) {
  if (!(temperature > 0.0))
    throw Error("the temperature must be positive, not " + std::to_string(temperature));
  auto largest = static_cast<double>(logits[0]);
  bool finite = true;
  for (std::size_t i = 0; i < count; ++i) {
    finite = finite && std::isfinite(logits[i]);
    largest = std::max(largest, static_cast<double>(logits[i]));
  }
  if (!finite) throw Error("a logit is not finite");
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = std::exp((static_cast<double>(logits[i]) - largest) / temperature);
    probabilities[i] = static_cast<Value>(weight);
    sum += weight;
  }
  const double scale = 1.0 / sum;
  for (std::size_t i = 0; i < count; ++i)
    probabilities[i] = static_cast<Value>(static_cast<double>(probabilities[i]) * scale);
}

}  // namespace vsmax
