// SPDX-License-Identifier: Apache-2.0
// Where the bins of a row begin. Along a row the bin index never decreases with x when
// theta <= pi/2, so a row falls into runs of columns, and a run's sum is a difference of two prefix
// sums (Eq. 10). The mirror symmetries of the grid (grid.h) leave a quarter of the runs to keep:
// t <= T/2 and the upper half of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax {

// Computes the runs of one row at angle t <= T/2: bin first + i holds the columns edges[i] ..
// edges[i+1]-1, from edges.front() = 0 to edges.back() = W. Returns the first bin.
template <class Index>
int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<Index>& edges);

// The kernels take four rows of the upper half at a time; the last tile may lack some.
inline constexpr std::size_t kRowsPerTile = 4;

// The runs of a tile's rows over the bins that any of them meets: edges[4 i + j] is where bin
// first_bin + i begins in row j of the tile, 0 below the row's own bins and W above them, so that
// the runs outside are empty. bins + 1 edges a row; a row that is not there has none but empty
// runs.
template <class Index>
struct TileRuns {
  int first_bin = 0;
  std::size_t bins = 0;
  const Index* edges = nullptr;
};

// Finds them; `edges` is where they are kept.
template <class Index>
TileRuns<Index> find_tile_runs(const HoughGrid& grid, int t, int tile, std::vector<Index>& edges);

// All runs of a grid, kept as 16-bit columns. For the paper's grid 1 MB.
class BinEdges {
 public:
  // Whether a table of this grid is small enough to keep, and its columns fit 16 bits.
  static bool worth_keeping(const HoughGrid& grid);

  explicit BinEdges(const HoughGrid& grid);

  TileRuns<std::uint16_t> runs(int t, int tile) const {
    const Entry& entry =
        entries_[static_cast<std::size_t>(t) * tiles_ + static_cast<std::size_t>(tile)];
    return {entry.first_bin, entry.bins, edges_.data() + entry.begin};
  }

 private:
  struct Entry {
    std::uint32_t begin = 0;
    std::uint16_t first_bin = 0;
    std::uint16_t bins = 0;
  };

  std::size_t tiles_;
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> edges_;
};

// The upper half of the rows, the middle one of an odd height included, in tiles.
inline int half_rows(const HoughGrid& grid) { return (grid.frame().height + 1) / 2; }
inline int tile_count(const HoughGrid& grid) {
  return (half_rows(grid) + static_cast<int>(kRowsPerTile) - 1) / static_cast<int>(kRowsPerTile);
}
// The angles t <= T/2 that are there.
inline int half_thetas(const HoughGrid& grid) {
  return grid.thetas() == 1 ? 1 : grid.thetas() / 2 + 1;
}

}  // namespace vsmax
