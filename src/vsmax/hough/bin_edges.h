// SPDX-License-Identifier: Apache-2.0
// Where the bins of a row begin. Along a row the bin index never decreases with x when
// theta <= pi/2, so a row falls into runs of columns, and a run's sum is a difference of two prefix
// sums (Eq. 10). The mirror symmetries of the grid (grid.h) leave a quarter of the runs to keep:
// t <= T/2 and the upper half of the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax {

// Bin first_bin + i holds the columns edges[i] .. edges[i+1]-1; edges.front() = 0, back() = W.
template <class Index>
struct RowRuns {
  int first_bin = 0;
  std::span<const Index> edges;
};

// Computes the runs of row `row` at angle t <= T/2 into `edges`; returns the first bin.
template <class Index>
int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<Index>& edges);

// All runs of a grid, kept as 16-bit columns. For the paper's grid 1.4 MB.
class BinEdges {
 public:
  // Whether a table of this grid is small enough to keep, and its columns fit 16 bits.
  static bool worth_keeping(const HoughGrid& grid);

  explicit BinEdges(const HoughGrid& grid);

  RowRuns<std::uint16_t> runs(int t, int row) const {
    const auto& entry =
        entries_[static_cast<std::size_t>(t) * half_rows_ + static_cast<std::size_t>(row)];
    return {entry.first_bin, {edges_.data() + entry.begin, entry.size}};
  }

 private:
  struct Entry {
    std::uint32_t begin = 0;
    std::uint16_t size = 0;
    std::uint16_t first_bin = 0;
  };

  std::size_t half_rows_;
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> edges_;
};

}  // namespace vsmax
