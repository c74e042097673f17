// SPDX-License-Identifier: Apache-2.0
// One-to-one assignment of found lines to labelled ones.
#pragma once

#include <cstddef>
#include <vector>

namespace vsmax {

// How well each found line (row) agrees with each labelled one (column).
struct ScoreMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> scores;  // row by row

  double at(std::size_t row, std::size_t column) const { return scores[row * columns + column]; }
};

// The largest number of pairs with a score of at least `threshold` in which no row and no column
// appears twice: a maximum bipartite matching by augmenting paths.
std::size_t matched_pairs(const ScoreMatrix& matrix, double threshold);

}  // namespace vsmax
