// SPDX-License-Identifier: Apache-2.0
// How far a distribution is concentrated on a line: the gap between the barycentre's leading
// eigenvalues times the mass within two bins of the line, across the seam as well. It says how sure
// a model is, not how often it is right. Host and device run the same code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vsmax/base/host_device.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/hough/cells.h"

namespace vsmax {

// mass(cell) is the probability of a cell of the single cover. 0 for a line that is not finite.
template <class Mass>
VSMAX_HOST_DEVICE double concentration(const CellShape& shape, double gap, UnitLine line,
                                       const Mass& mass) {
  constexpr CellReach kReach{2, 2};
  if (!std::isfinite(line.theta) || !std::isfinite(line.rho)) return 0.0;
  double sum = 0.0;
  for_each_near(shape.on(Cover::kSingle), nearest_cell(shape, line), kReach,
                [&](Cell cell) { sum += mass(cell); });
  return std::clamp(gap, 0.0, 1.0) * std::clamp(sum, 0.0, 1.0);
}

// The concentration of softmax(logits / temperature) over the shape's cover. log_sum is the
// logarithm of the softmax's denominator, `barycentre` the six numbers of Eq. 17.
template <class Value>
VSMAX_HOST_DEVICE double softmax_concentration(const CellShape& shape, const Value* logits,
                                               double temperature, double log_sum,
                                               const Value* barycentre, UnitLine line) {
  const auto p = [&](Cell cell) {
    return std::exp(static_cast<double>(logits[shape.index(cell)]) / temperature - log_sum);
  };
  const auto both_sheets = [&](Cell cell) {
    if (shape.cover == Cover::kSingle) return p(cell);
    return p(cell) + p({shape.thetas + cell.t, shape.rhos - 1 - cell.r});
  };
  VeroneseVector<3> mean{};
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = static_cast<double>(barycentre[i]);
  const double gap = symmetric_eigen(symmetric_from_veronese<3>(mean)).gap();
  return concentration(shape, gap, line, both_sheets);
}

}  // namespace vsmax
