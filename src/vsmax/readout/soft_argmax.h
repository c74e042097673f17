// SPDX-License-Identifier: Apache-2.0
// The soft-argmax of the paper's baselines (Eq. 16): the mean of (theta, rho) over the single
// cover. It breaks at the seam, where it averages two neighbouring lines into one far from both;
// kept for comparison.
#pragma once

#include "vsmax/hough/cells.h"

namespace vsmax {

// Not canonical: theta is the mean itself.
inline UnitLine soft_argmax(Cells<const float> probabilities) {
  const CellShape& shape = probabilities.shape();
  UnitLine mean;
  for (int t = 0; t < shape.thetas; ++t) {
    const float* row = probabilities.row(t);
    double mass = 0.0;
    for (int r = 0; r < shape.rhos; ++r) {
      const auto p = static_cast<double>(row[r]);
      mass += p;
      mean.rho += p * shape.rho(r);
    }
    mean.theta += mass * shape.theta(t);
  }
  return mean;
}

}  // namespace vsmax
