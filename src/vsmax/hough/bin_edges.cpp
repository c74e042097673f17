// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/bin_edges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vsmax {

namespace {

// A larger table would push the image out of the caches and memory; its runs are found anew.
constexpr double kMaxTableBytes = 48.0 * (1 << 20);

// The first column whose bin is at least `bin`: solved in closed form, then moved to where the
// definition itself changes, so that rounding in the solution cannot matter.
int first_column_of(const HoughGrid& grid, int t, int row, int bin) {
  const auto& frame = grid.frame();
  const double cosine = grid.cos_theta(t);
  const double offset = grid.rho(bin) - 0.5 * grid.bin_width() - frame.y(row) * grid.sin_theta(t);
  const double guess = std::ceil(offset / cosine + frame.half_width());
  int column = static_cast<int>(std::clamp(guess, 0.0, static_cast<double>(frame.width)));
  while (column > 0 && grid.bin(t, column - 1, row) >= bin) --column;
  while (column < frame.width && grid.bin(t, column, row) < bin) ++column;
  return column;
}

}  // namespace

template <class Index>
int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<Index>& edges) {
  const int width = grid.frame().width;
  const int first = grid.bin(t, 0, row);
  const int last = grid.bin(t, width - 1, row);
  edges.clear();
  edges.push_back(0);
  for (int bin = first + 1; bin <= last; ++bin)
    edges.push_back(static_cast<Index>(first_column_of(grid, t, row, bin)));
  edges.push_back(static_cast<Index>(width));
  return first;
}

template int find_row_runs(const HoughGrid&, int, int, std::vector<std::uint16_t>&);
template int find_row_runs(const HoughGrid&, int, int, std::vector<std::uint32_t>&);

bool BinEdges::worth_keeping(const HoughGrid& grid) {
  const double rows = 0.5 * (grid.frame().height + 1);
  const double angles = 0.5 * (grid.thetas() + 2);
  // On average a row crosses W |cos| / bin_width <= W / bin_width bins.
  const double runs = 2.0 + std::min<double>(grid.rhos(), grid.frame().width / grid.bin_width());
  return grid.frame().width <= 0xFFFF &&
         rows * angles * (sizeof(Entry) + sizeof(std::uint16_t) * runs) <= kMaxTableBytes;
}

BinEdges::BinEdges(const HoughGrid& grid)
    : half_rows_(static_cast<std::size_t>(grid.frame().height + 1) / 2) {
  std::vector<std::uint16_t> row_edges;
  entries_.reserve(half_rows_ * static_cast<std::size_t>(grid.thetas() / 2 + 1));
  for (int t = 0; t < std::min(grid.thetas() / 2 + 1, grid.thetas()); ++t)
    for (int row = 0; row < static_cast<int>(half_rows_); ++row) {
      const int first = find_row_runs(grid, t, row, row_edges);
      entries_.push_back({static_cast<std::uint32_t>(edges_.size()),
                          static_cast<std::uint16_t>(row_edges.size()),
                          static_cast<std::uint16_t>(first)});
      edges_.insert(edges_.end(), row_edges.begin(), row_edges.end());
    }
}

}  // namespace vsmax
