// SPDX-License-Identifier: Apache-2.0
// The soft-argmax of the paper's baselines (Eq. 16): the mean of (theta, rho) over the single
// cover. Torn at the seam, where it averages neighbours into a line far from both; kept as a peer.
#pragma once

#include <array>
#include <cstddef>

#include "vsmax/hough/grid.h"

namespace vsmax {

// (theta, rho / D).
using PolarMean = std::array<double, 2>;

// The mean under probabilities over T x R.
template <class Value>
PolarMean soft_argmax(const HoughGrid& grid, const Value* probabilities) {
  PolarMean mean{};
  for (int t = 0; t < grid.thetas(); ++t) {
    double mass = 0.0;
    for (int r = 0; r < grid.rhos(); ++r) {
      const auto p = static_cast<double>(*probabilities++);
      mass += p;
      mean[1] += p * grid.rho_unit(r);
    }
    mean[0] += mass * grid.theta(t);
  }
  return mean;
}

// dL/dlogits from dL/dmean through the softmax (Eq. 19): p_i (g . c_i - g . mean) / tau.
template <class Value>
void soft_argmax_backward(const HoughGrid& grid, const Value* probabilities, double temperature,
                          const PolarMean& mean, const PolarMean& grad, Value* grad_logits) {
  const double center = grad[0] * mean[0] + grad[1] * mean[1];
  for (int t = 0; t < grid.thetas(); ++t)
    for (int r = 0; r < grid.rhos(); ++r) {
      const double along = grad[0] * grid.theta(t) + grad[1] * grid.rho_unit(r);
      *grad_logits++ = static_cast<Value>(static_cast<double>(*probabilities++) * (along - center) /
                                          temperature);
    }
}

}  // namespace vsmax
