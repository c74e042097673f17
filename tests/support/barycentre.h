// SPDX-License-Identifier: Apache-2.0
// The mean embedding (Eq. 17) as its definition states it: six products per cell, in double.
#pragma once

#include <vector>

#include "vsmax/geometry/embedded_line.h"
#include "vsmax/hough/cells.h"

namespace vsmax::reference {

// The sum of p v_2(line) over all cells, on either cover.
template <class Value>
LineEmbedding barycentre(Cells<const Value> probabilities) {
  LineEmbedding mean{};
  const CellShape& shape = probabilities.shape();
  for (std::size_t i = 0; i < shape.count(); ++i) {
    const LineEmbedding v = embedding_from_line(shape.line(shape.cell(i)));
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += static_cast<double>(probabilities.data()[i]) * v[k];
  }
  return mean;
}

template <class Value>
LineEmbedding barycentre(CellShape shape, const std::vector<Value>& probabilities) {
  return barycentre(Cells<const Value>(probabilities.data(), shape));
}

}  // namespace vsmax::reference
