// SPDX-License-Identifier: Apache-2.0
// Where each bin begins along a line of pixels. For theta <= pi/2, the bin index never decreases
// with x along a row, nor with y along a column, so a row or a column falls into runs, and a run's
// sum is a difference of two prefix sums (Eq. 10). An angle is scanned along rows or along columns,
// whichever meets fewer bins. Because of the grid's mirror symmetries (grid.h), only a quarter of
// the runs is stored: t <= T/2 and the upper half of the rows, or the left half of the columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// Computes the runs of one row at angle t <= T/2: bin first + i holds the columns edges[i] ..
// edges[i+1]-1, from edges.front() = 0 to edges.back() = W. Returns the first bin.
int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<std::uint32_t>& edges);
// The same for a column, from top to bottom.
int find_column_runs(const HoughGrid& grid, int t, int column, std::vector<std::uint32_t>& edges);

enum class Scan : std::uint8_t { kRows, kColumns };
inline constexpr std::array<Scan, 2> kScans{Scan::kRows, Scan::kColumns};

// About how many bins a line of this scan meets at angle t.
double runs_of_line(const HoughGrid& grid, Scan scan, int t);

// How to scan angle t. Not inline: where rows and columns tie, a file compiled with different
// rounding (fused multiply-add) could choose differently.
Scan scan_of(const HoughGrid& grid, int t);

// The angles from this one up to T/2 are scanned along rows, those before along columns.
int first_row_angle(const HoughGrid& grid);

struct AngleRange {
  int begin = 0;
  int end = 0;
};
AngleRange angles_of(const HoughGrid& grid, Scan scan);

// The number of pixels of a line of the scan.
inline int scan_length(const HoughGrid& grid, Scan scan) {
  return scan == Scan::kRows ? grid.frame().width : grid.frame().height;
}
// The number of lines of the upper or left half, including the middle one of an odd number.
inline int half_lines(const HoughGrid& grid, Scan scan) {
  return half_lines(scan == Scan::kRows ? grid.frame().height : grid.frame().width);
}

// The most pixels of one line that a bin can hold at angle t, scanned as scan_of says.
int longest_run(const HoughGrid& grid, int t);

// The kernels process eight lines of a half, a tile, at a time; the last tile may have fewer.
inline constexpr std::size_t kLinesPerTile = 8;
inline int tile_count(const HoughGrid& grid, Scan scan) {
  constexpr auto kLines = static_cast<int>(kLinesPerTile);
  return (half_lines(grid, scan) + kLines - 1) / kLines;
}

// The number of angles t <= T/2.
inline int half_thetas(const HoughGrid& grid) { return half_thetas(grid.thetas()); }

// Places are stored times 16: in a tile of eight lines of four floats, the byte offset of a place
// is then eight times the stored number, a factor that x86 addressing applies for free.
inline constexpr std::size_t kEdgeUnits = 16;

// The runs of a tile's lines over the bins that any of them meets: edges[8 i + l] / 16 is the place
// where bin first_bin + i begins in line l of the tile, 0 below the line's own bins and the line's
// length above them, so that runs outside are empty. There are bins + 1 edges per line; a missing
// line has only empty runs at 0.
template <class Index>
struct TileRuns {
  int first_bin = 0;
  std::size_t bins = 0;
  const Index* edges = nullptr;
};

// Computes the runs of a tile at angle t, scanned as scan_of says; `edges` is their storage.
template <class Index>
TileRuns<Index> find_tile_runs(const HoughGrid& grid, int t, int tile, std::vector<Index>& edges);

// All runs of a grid, with 16-bit places; 0.6 MB for the paper's grid.
class BinEdges {
 public:
  // Whether the table of this grid is small enough to keep and its places fit 16 bits.
  static bool worth_keeping(const HoughGrid& grid);

  explicit BinEdges(const HoughGrid& grid);

  TileRuns<std::uint16_t> runs(int t, int tile) const {
    const Angle& angle = angles_[static_cast<std::size_t>(t)];
    const Entry& entry = entries_[angle.entry + static_cast<std::size_t>(tile) * angle.entry_step];
    return {entry.first_bin, entry.bins, edges_.data() + entry.begin};
  }

 private:
  struct Entry {
    std::uint32_t begin = 0;
    std::uint16_t first_bin = 0;
    std::uint16_t bins = 0;
  };

  struct Angle {
    std::size_t entry = 0;       // of its first tile
    std::size_t entry_step = 0;  // to its next one
  };

  std::vector<Angle> angles_;
  // In the order in which the kernels read: tile by tile, and within a tile by angle.
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> edges_;
};

}  // namespace vsmax
