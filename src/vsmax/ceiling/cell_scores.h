// SPDX-License-Identifier: Apache-2.0
// EA between the lines of a grid's resolvable cells, and the cell that is expected to score best
// under a distribution over them (Eq. 33).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "vsmax/geometry/ea_score.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// A cell, as its index in HoughGrid::resolvable_cells(), and its probability.
struct WeightedCell {
  std::size_t cell = 0;
  double weight = 0.0;
};

// Immutable and safe to share between threads.
class CellScores {
 public:
  explicit CellScores(const HoughGrid& grid);

  // Exactly ea_score() of the two cells' lines.
  double operator()(std::size_t a, std::size_t b) const {
    return ea_from_parts(angles_[theta_[a] * thetas_ + theta_[b]], midpoints_[a], midpoints_[b],
                         frame_);
  }

  // The cell c with the largest sum of weight * EA(c, cell), the first one in case of a tie;
  // `candidates` is scratch memory. Fastest if the weights descend: a cell is dropped as soon as
  // the remaining weight cannot bring it to the top.
  std::size_t best_expected(std::span<const WeightedCell> distribution,
                            std::vector<WeightedCell>& candidates) const;

 private:
  ImageFrame frame_;
  std::size_t thetas_;
  std::vector<double> angles_;      // T x T, between the directions
  std::vector<std::size_t> theta_;  // of each cell
  std::vector<std::array<double, 2>> midpoints_;
};

}  // namespace vsmax
