// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/bin_edges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace vsmax {

namespace {

// A larger table would push the image out of the caches and memory; its runs are found anew.
constexpr double kMaxTableBytes = 48.0 * (1 << 20);

// Solves for the first column of each bin of a row. The closed form is right unless it comes within
// rounding of an integer; there the definition itself decides, so that ties fall as grid.h has
// them.
class RowSolver {
 public:
  RowSolver(const HoughGrid& grid, int t, int row)
      : grid_(grid), t_(t), row_(row), width_(grid.frame().width) {
    const auto& frame = grid.frame();
    const double cosine = grid.cos_theta(t);
    const double lower_edge = grid.rho(0) - 0.5 * grid.bin_width();
    origin_ = (lower_edge - frame.y(row) * grid.sin_theta(t)) / cosine + frame.half_width();
    step_ = grid.bin_width() / cosine;
    // A handful of roundings, each relative to a length below W + H, with room to spare.
    doubt_ = 64.0 * std::numeric_limits<double>::epsilon() * (frame.width + frame.height) / cosine;
  }

  int first_column(int bin) const {
    const double exact = origin_ + bin * step_;
    const auto column = static_cast<int>(exact) + 1;  // 0 < exact < W between first and last bin
    const double rest = column - exact;
    if (rest > doubt_ && rest < 1.0 - doubt_) return column;
    return search(std::clamp(column, 0, width_), bin);
  }

 private:
  int search(int column, int bin) const {
    while (column > 0 && grid_.bin(t_, column - 1, row_) >= bin) --column;
    while (column < width_ && grid_.bin(t_, column, row_) < bin) ++column;
    return column;
  }

  const HoughGrid& grid_;
  int t_, row_, width_;
  double origin_, step_, doubt_;
};

}  // namespace

template <class Index>
int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<Index>& edges) {
  const int width = grid.frame().width;
  const int first = grid.bin(t, 0, row);
  const int last = grid.bin(t, width - 1, row);
  edges.clear();
  edges.push_back(0);
  const RowSolver solver(grid, t, row);
  for (int bin = first + 1; bin <= last; ++bin)
    edges.push_back(static_cast<Index>(solver.first_column(bin)));
  edges.push_back(static_cast<Index>(width));
  return first;
}

template <class Index>
TileRuns<Index> find_tile_runs(const HoughGrid& grid, int t, int tile, std::vector<Index>& edges) {
  const int width = grid.frame().width;
  const int begin = tile * static_cast<int>(kRowsPerTile);
  const int end = std::min(begin + static_cast<int>(kRowsPerTile), half_rows(grid));
  int first = grid.rhos();
  int last = 0;
  for (int row = begin; row < end; ++row) {
    first = std::min(first, grid.bin(t, 0, row));
    last = std::max(last, grid.bin(t, width - 1, row));
  }
  const std::size_t bins = static_cast<std::size_t>(last - first) + 1;
  edges.assign((bins + 1) * kRowsPerTile, 0);
  for (int row = begin; row < end; ++row) {
    const auto lane = static_cast<std::size_t>(row - begin);
    const int row_first = grid.bin(t, 0, row);
    const int row_last = grid.bin(t, width - 1, row);
    const RowSolver solver(grid, t, row);
    for (int bin = row_first + 1; bin <= last + 1; ++bin)
      edges[static_cast<std::size_t>(bin - first) * kRowsPerTile + lane] =
          static_cast<Index>(bin <= row_last ? solver.first_column(bin) : width);
  }
  return {first, bins, edges.data()};
}

template int find_row_runs(const HoughGrid&, int, int, std::vector<std::uint16_t>&);
template int find_row_runs(const HoughGrid&, int, int, std::vector<std::uint32_t>&);
template TileRuns<std::uint16_t> find_tile_runs(const HoughGrid&, int, int,
                                                std::vector<std::uint16_t>&);
template TileRuns<std::uint32_t> find_tile_runs(const HoughGrid&, int, int,
                                                std::vector<std::uint32_t>&);

bool BinEdges::worth_keeping(const HoughGrid& grid) {
  // On average a row crosses W |cos| / bin_width <= W / bin_width bins.
  const double bins = 2.0 + std::min<double>(grid.rhos(), grid.frame().width / grid.bin_width());
  const double tiles = static_cast<double>(tile_count(grid)) * half_thetas(grid);
  const double bytes = tiles * (sizeof(Entry) + sizeof(std::uint16_t) * kRowsPerTile * bins);
  return grid.frame().width <= 0xFFFF && bytes <= kMaxTableBytes;
}

BinEdges::BinEdges(const HoughGrid& grid) : tiles_(static_cast<std::size_t>(tile_count(grid))) {
  std::vector<std::uint16_t> tile_edges;
  entries_.reserve(tiles_ * static_cast<std::size_t>(half_thetas(grid)));
  for (int t = 0; t < half_thetas(grid); ++t)
    for (int tile = 0; tile < static_cast<int>(tiles_); ++tile) {
      const auto runs = find_tile_runs(grid, t, tile, tile_edges);
      entries_.push_back({static_cast<std::uint32_t>(edges_.size()),
                          static_cast<std::uint16_t>(runs.first_bin),
                          static_cast<std::uint16_t>(runs.bins)});
      edges_.insert(edges_.end(), tile_edges.begin(), tile_edges.end());
    }
}

}  // namespace vsmax
