// SPDX-License-Identifier: Apache-2.0
// Softmax with temperature (Eq. 15) as its formula states it, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace vsmax::reference {

// p_i = exp((a_i - max a) / temperature) / sum.
template <class Value>
std::vector<double> softmax(std::span<const Value> logits, double temperature) {
  std::vector<double> p(logits.begin(), logits.end());
  const double largest = *std::max_element(p.begin(), p.end());
  double sum = 0.0;
  for (double& value : p) sum += value = std::exp((value - largest) / temperature);
  for (double& value : p) value /= sum;
  return p;
}

template <class Value>
std::vector<double> softmax(const std::vector<Value>& logits, double temperature) {
  return softmax(std::span<const Value>(logits), temperature);
}

}  // namespace vsmax::reference
