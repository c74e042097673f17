// SPDX-License-Identifier: Apache-2.0
// VSmax in a window (Eq. 34) as its definition states it: every cell of the map is tried against
// the window in all its copies on the unrolled strip, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "support/barycentre.h"
#include "vsmax/hough/cells.h"

namespace vsmax::reference {

// Whether a cell, or its copy half a turn to the left or right, lies within reach of the peak.
inline bool in_window(const CellShape& shape, Cell peak, CellReach reach, Cell cell) {
  const int rows = std::min(reach.t, (shape.thetas - 1) / 2);
  for (const int turn : {-1, 0, 1}) {
    const int t = cell.t + turn * shape.thetas;
    const int r = turn == 0 ? cell.r : shape.rhos - 1 - cell.r;
    if (std::abs(t - peak.t) <= rows && std::abs(r - peak.r) <= reach.r) return true;
  }
  return false;
}

struct WindowReadout {
  std::vector<double> probabilities;
  LineEmbedding barycentre{};
  double log_sum = 0.0;
};

inline WindowReadout read_window(Cells<const float> logits, double temperature, Cell peak,
                                 CellReach reach) {
  const CellShape& shape = logits.shape();
  WindowReadout result;
  double sum = 0.0;
  for (std::size_t i = 0; i < shape.count(); ++i) {
    const double weight = in_window(shape, peak, reach, shape.cell(i))
                              ? std::exp((static_cast<double>(logits.data()[i]) -
                                          static_cast<double>(logits.at(peak))) /
                                         temperature)
                              : 0.0;
    result.probabilities.push_back(weight);
    sum += weight;
  }
  for (double& probability : result.probabilities) probability /= sum;
  result.barycentre = barycentre(shape, result.probabilities);
  result.log_sum = static_cast<double>(logits.at(peak)) / temperature + std::log(sum);
  return result;
}

}  // namespace vsmax::reference
