// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/bin_edges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace vsmax {
namespace {

// A larger table would evict the image from the caches; the runs are then computed on the fly.
constexpr double kMaxTableBytes = 48.0 * (1 << 20);

// Solves for the first place of each bin along a row or a column. The closed form is right unless
// it is within rounding of an integer; then bin_rule.h itself decides, so that ties round the same
// way.
class LineSolver {
 public:
  LineSolver(const HoughGrid& grid, Scan scan, int t, int line)
      : grid_(grid), scan_(scan), t_(t), line_(line), length_(scan_length(grid, scan)) {
    const auto& frame = grid.frame();
    const bool rows = scan == Scan::kRows;
    const double along = rows ? grid.cos_theta(t) : grid.sin_theta(t);
    const double offset =
        rows ? frame.y(line) * grid.sin_theta(t) : frame.x(line) * grid.cos_theta(t);
    const double lower_edge = grid.rho(0) - 0.5 * grid.bin_width();
    origin_ = (lower_edge - offset) / along + (rows ? frame.half_width() : frame.half_height());
    step_ = grid.bin_width() / along;
    // A generous bound on a handful of roundings, each relative to a length below W + H.
    doubt_ = 64.0 * std::numeric_limits<double>::epsilon() * (frame.width + frame.height) / along;
  }

  int bin(int place) const {
    return scan_ == Scan::kRows ? grid_.bin(t_, place, line_) : grid_.bin(t_, line_, place);
  }
  int first_bin() const { return bin(0); }
  int last_bin() const { return bin(length_ - 1); }

  int first_place(int bin) const {
    const double exact = origin_ + bin * step_;
    const auto place = static_cast<int>(exact) + 1;  // 0 < exact < length between first and last
    const double rest = place - exact;
    if (rest > doubt_ && rest < 1.0 - doubt_) return place;
    return search(std::clamp(place, 0, length_), bin);
  }

 private:
  int search(int place, int wanted) const {
    while (place > 0 && bin(place - 1) >= wanted) --place;
    while (place < length_ && bin(place) < wanted) ++place;
    return place;
  }

  const HoughGrid& grid_;
  Scan scan_;
  int t_, line_, length_;
  double origin_, step_, doubt_;
};

template <class Index>
int find_runs(const LineSolver& solver, int length, std::vector<Index>& edges) {
  const int first = solver.first_bin();
  const int last = solver.last_bin();
  edges.clear();
  edges.push_back(0);
  for (int bin = first + 1; bin <= last; ++bin)
    edges.push_back(static_cast<Index>(solver.first_place(bin)));
  edges.push_back(static_cast<Index>(length));
  return first;
}

}  // namespace

double runs_of_line(const HoughGrid& grid, Scan scan, int t) {
  const auto& frame = grid.frame();
  const double span =
      scan == Scan::kRows ? frame.width * grid.cos_theta(t) : frame.height * grid.sin_theta(t);
  return span / grid.bin_width() + 1.0;
}

Scan scan_of(const HoughGrid& grid, int t) {
  const double row_runs = grid.frame().height * runs_of_line(grid, Scan::kRows, t);
  const double column_runs = grid.frame().width * runs_of_line(grid, Scan::kColumns, t);
  return row_runs <= column_runs ? Scan::kRows : Scan::kColumns;
}

int first_row_angle(const HoughGrid& grid) {
  int t = 0;
  while (t < half_thetas(grid) && scan_of(grid, t) == Scan::kColumns) ++t;
  return t;
}

AngleRange angles_of(const HoughGrid& grid, Scan scan) {
  const int turn = first_row_angle(grid);
  return scan == Scan::kRows ? AngleRange{turn, half_thetas(grid)} : AngleRange{0, turn};
}

int longest_run(const HoughGrid& grid, int t) {
  const Scan scan = scan_of(grid, t);
  const double along = scan == Scan::kRows ? grid.cos_theta(t) : grid.sin_theta(t);
  const double length = scan_length(grid, scan);
  return static_cast<int>(std::min(length, grid.bin_width() / std::max(along, 1e-9) + 1.0));
}

int find_row_runs(const HoughGrid& grid, int t, int row, std::vector<std::uint32_t>& edges) {
  return find_runs(LineSolver(grid, Scan::kRows, t, row), grid.frame().width, edges);
}

int find_column_runs(const HoughGrid& grid, int t, int column, std::vector<std::uint32_t>& edges) {
  return find_runs(LineSolver(grid, Scan::kColumns, t, column), grid.frame().height, edges);
}

template <class Index>
TileRuns<Index> find_tile_runs(const HoughGrid& grid, int t, int tile, std::vector<Index>& edges) {
  const Scan scan = scan_of(grid, t);
  const int length = scan_length(grid, scan);
  const int begin = tile * static_cast<int>(kLinesPerTile);
  const int end = std::min(begin + static_cast<int>(kLinesPerTile), half_lines(grid, scan));
  int first = grid.rhos();
  int last = 0;
  for (int line = begin; line < end; ++line) {
    const LineSolver solver(grid, scan, t, line);
    first = std::min(first, solver.first_bin());
    last = std::max(last, solver.last_bin());
  }
  const std::size_t bins = static_cast<std::size_t>(last - first) + 1;
  edges.assign((bins + 1) * kLinesPerTile, 0);
  for (int line = begin; line < end; ++line) {
    const auto lane = static_cast<std::size_t>(line - begin);
    const LineSolver solver(grid, scan, t, line);
    const int line_last = solver.last_bin();
    for (int bin = solver.first_bin() + 1; bin <= last + 1; ++bin)
      edges[static_cast<std::size_t>(bin - first) * kLinesPerTile + lane] =
          static_cast<Index>(kEdgeUnits * static_cast<std::size_t>(
                                              bin <= line_last ? solver.first_place(bin) : length));
  }
  return {first, bins, edges.data()};
}

template TileRuns<std::uint16_t> find_tile_runs(const HoughGrid&, int, int,
                                                std::vector<std::uint16_t>&);
template TileRuns<std::uint32_t> find_tile_runs(const HoughGrid&, int, int,
                                                std::vector<std::uint32_t>&);

bool BinEdges::worth_keeping(const HoughGrid& grid) {
  constexpr int kMostPlaces = 0xFFFF / static_cast<int>(kEdgeUnits);
  if (grid.frame().width > kMostPlaces || grid.frame().height > kMostPlaces) return false;
  double bytes = 0.0;
  for (int t = 0; t < half_thetas(grid); ++t) {
    const Scan scan = scan_of(grid, t);
    const double along = scan == Scan::kRows ? grid.cos_theta(t) : grid.sin_theta(t);
    const double across = scan == Scan::kRows ? grid.sin_theta(t) : grid.cos_theta(t);
    const double span = scan_length(grid, scan) * along + kLinesPerTile * across;
    const double bins = 2.0 + std::min<double>(grid.rhos(), span / grid.bin_width());
    bytes +=
        tile_count(grid, scan) * (sizeof(Entry) + sizeof(std::uint16_t) * kLinesPerTile * bins);
  }
  return bytes <= kMaxTableBytes;
}

BinEdges::BinEdges(const HoughGrid& grid) {
  angles_.resize(static_cast<std::size_t>(half_thetas(grid)));
  std::vector<std::uint16_t> tile_edges;
  for (const Scan scan : kScans) {
    const auto [first, end] = angles_of(grid, scan);
    for (int t = first; t < end; ++t)
      angles_[static_cast<std::size_t>(t)] = {entries_.size() + static_cast<std::size_t>(t - first),
                                              static_cast<std::size_t>(end - first)};
    for (int tile = 0; tile < tile_count(grid, scan); ++tile)
      for (int t = first; t < end; ++t) {
        const auto runs = find_tile_runs(grid, t, tile, tile_edges);
        entries_.push_back({static_cast<std::uint32_t>(edges_.size()),
                            static_cast<std::uint16_t>(runs.first_bin),
                            static_cast<std::uint16_t>(runs.bins)});
        edges_.insert(edges_.end(), tile_edges.begin(), tile_edges.end());
      }
  }
}

}  // namespace vsmax
