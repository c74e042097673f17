// SPDX-License-Identifier: Apache-2.0
// Where the bins of a line of pixels begin. Along a row the bin index never decreases with x when
// theta <= pi/2, nor along a column with y, so a row or a column falls into runs, and a run's sum
// is a difference of two prefix sums (Eq. 10). An angle is scanned along rows or along columns,
// whichever meets fewer bins. The mirror symmetries of the grid (grid.h) leave a quarter of the
// runs to keep: t <= T/2 and the upper half of the rows, or the left half of the columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax {

// Computes the runs of one row at angle t <= T/2: bin first + i holds the columns edges[i] ..
// edges[i+1]-1, from edges.front() = 0 to edges.back() = W. Returns the first bin.
template <class Index>
int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<Index>& edges);

enum class Scan : std::uint8_t { kRows, kColumns };
inline constexpr std::array<Scan, 2> kScans{Scan::kRows, Scan::kColumns};

// The bins that a line of this scan meets at angle t, about.
double runs_of_line(const HoughGrid& grid, Scan scan, int t);

// The way to scan angle t. Not inline: where both ways meet equally many, a compiler that rounds
// otherwise in another file would choose otherwise there.
Scan scan_of(const HoughGrid& grid, int t);

// The angles from this one up to T/2 are scanned along rows, those before along columns.
int first_row_angle(const HoughGrid& grid);

struct AngleRange {
  int begin = 0;
  int end = 0;
};
AngleRange angles_of(const HoughGrid& grid, Scan scan);

// The pixels of a line of the scan.
inline int scan_length(const HoughGrid& grid, Scan scan) {
  return scan == Scan::kRows ? grid.frame().width : grid.frame().height;
}
// The lines of the upper or left half, the middle one of an odd number included.
inline int half_lines(const HoughGrid& grid, Scan scan) {
  return ((scan == Scan::kRows ? grid.frame().height : grid.frame().width) + 1) / 2;
}

// The most pixels that a bin holds of one line of the scan of angle t.
int longest_run(const HoughGrid& grid, int t);

// The kernels take eight lines of a half at a time; the last tile may lack some.
inline constexpr std::size_t kLinesPerTile = 8;
inline int tile_count(const HoughGrid& grid, Scan scan) {
  constexpr auto kLines = static_cast<int>(kLinesPerTile);
  return (half_lines(grid, scan) + kLines - 1) / kLines;
}

// The angles t <= T/2 that are there.
inline int half_thetas(const HoughGrid& grid) {
  return grid.thetas() == 1 ? 1 : grid.thetas() / 2 + 1;
}

// Places are kept as multiples of 16: what belongs to a place in a tile of eight lines of four
// floats then lies at eight times the number kept, a factor that the processor applies for nothing.
inline constexpr std::size_t kEdgeUnits = 16;

// The runs of a tile's lines over the bins that any of them meets: edges[8 i + l] / 16 is where bin
// first_bin + i begins in line l of the tile, 0 below the line's own bins and its length above
// them, so that the runs outside are empty. bins + 1 edges a line; a line that is not there has
// none but empty runs at 0.
template <class Index>
struct TileRuns {
  int first_bin = 0;
  std::size_t bins = 0;
  const Index* edges = nullptr;
};

// Finds them, by the angle's own scan; `edges` is where they are kept.
template <class Index>
TileRuns<Index> find_tile_runs(const HoughGrid& grid, int t, int tile, std::vector<Index>& edges);

// All runs of a grid, kept as 16-bit places. For the paper's grid 0.6 MB.
class BinEdges {
 public:
  // Whether a table of this grid is small enough to keep, and its places fit 16 bits.
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
  // In the order in which the kernels come by: tile after tile, and its angles.
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> edges_;
};

}  // namespace vsmax
