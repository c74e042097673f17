// SPDX-License-Identifier: Apache-2.0
// A line as a point of the Veronese embedding, and the line that a mean of such points represents.
#pragma once

#include "vsmax/geometry/line.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/geometry/veronese.h"

namespace vsmax {

using LineEmbedding = VeroneseVector<3>;

// v_2 of a line (Eq. 3, 4).
inline LineEmbedding embedding_from_line(UnitLine line) {
  return veronese_from_point(vector_from_line(line));
}

struct EmbeddedLine {
  UnitLine line;     // of the leading eigenvector, canonical (Eq. 20 to 22)
  double gap = 0.0;  // between the two largest eigenvalues; 1 for the embedding of one line
};

VSMAX_HOST_DEVICE inline EmbeddedLine line_from_embedding(const LineEmbedding& embedding) {
  const auto eigen = symmetric_eigen(symmetric_from_veronese<3>(embedding));
  return {line_from_vector(eigen.leading()), eigen.gap()};
}

}  // namespace vsmax
