// SPDX-License-Identifier: Apache-2.0
// The runs of a row must say what the definition of the vote says, column by column.
#include "vsmax/hough/bin_edges.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/hough_images.h"

namespace vsmax {
namespace {

TEST(RowRuns, AreTheBinsOfTheDefinition) {
  for (const auto& grid : test::many_grids()) {
    const int width = grid.frame().width;
    std::vector<std::uint32_t> edges;
    for (int t = 0; t < half_thetas(grid); ++t)
      for (int row = 0; row < grid.frame().height; ++row) {
        const int first = find_row_runs(grid, t, row, edges);
        ASSERT_EQ(edges.front(), 0U);
        ASSERT_EQ(edges.back(), static_cast<std::uint32_t>(width));
        ASSERT_TRUE(std::is_sorted(edges.begin(), edges.end()));
        for (std::size_t i = 0; i + 1 < edges.size(); ++i)
          for (auto column = edges[i]; column < edges[i + 1]; ++column)
            ASSERT_EQ(grid.bin(t, static_cast<int>(column), row), first + static_cast<int>(i))
                << test::name_of(grid) << ": t " << t << " at " << column << ", " << row;
      }
  }
}

// Place `place` of line `line` of a scan votes for this bin.
int bin_at(const HoughGrid& grid, int t, int line, int place) {
  return scan_of(grid, t) == Scan::kRows ? grid.bin(t, place, line) : grid.bin(t, line, place);
}

// What a tile says of one of its lines is what the definition says of every pixel: it lies between
// the edges of its bin. Runs outside the line's own bins are empty.
template <class Index>
void expect_tile_holds_line(const HoughGrid& grid, const TileRuns<Index>& runs, int t, int line) {
  const int length = scan_length(grid, scan_of(grid, t));
  const std::size_t lane = static_cast<std::size_t>(line) % kLinesPerTile;
  const auto edge = [&](std::size_t i) {
    EXPECT_EQ(runs.edges[kLinesPerTile * i + lane] % kEdgeUnits, 0U);
    return static_cast<int>(runs.edges[kLinesPerTile * i + lane] / kEdgeUnits);
  };
  ASSERT_EQ(edge(0), 0);
  ASSERT_EQ(edge(runs.bins), length);
  for (std::size_t i = 0; i < runs.bins; ++i) {
    ASSERT_LE(edge(i), edge(i + 1));
    for (int place = edge(i); place < edge(i + 1); ++place)
      ASSERT_EQ(bin_at(grid, t, line, place), runs.first_bin + static_cast<int>(i))
          << test::name_of(grid) << ": t " << t << ", line " << line << ", place " << place;
  }
}

TEST(TileRuns, HoldTheBinsOfTheDefinition) {
  for (const auto& grid : test::many_grids()) {
    std::vector<std::uint32_t> found;
    for (int t = 0; t < half_thetas(grid); ++t)
      for (int line = 0; line < half_lines(grid, scan_of(grid, t)); ++line)
        expect_tile_holds_line(
            grid, find_tile_runs(grid, t, line / static_cast<int>(kLinesPerTile), found), t, line);
  }
}

TEST(TileRuns, LeaveTheLinesThatAreNotThereEmpty) {
  const HoughGrid grid({17, 18}, 7, 11);  // nine lines in either half: the second tile has one
  std::vector<std::uint32_t> found;
  for (int t = 0; t < half_thetas(grid); ++t) {
    const auto runs = find_tile_runs(grid, t, 1, found);
    for (std::size_t i = 0; i <= runs.bins; ++i)
      for (std::size_t lane = 1; lane < kLinesPerTile; ++lane)
        ASSERT_EQ(runs.edges[kLinesPerTile * i + lane], 0U);
  }
}

TEST(Scans, MeetFewerRunsThanTheOtherWay) {
  for (const auto& grid : test::many_grids()) {
    const auto& frame = grid.frame();
    for (int t = 0; t < half_thetas(grid); ++t) {
      // Changes of bin along the middle row and the middle column, times their number.
      const int along_row =
          grid.bin(t, frame.width - 1, frame.height / 2) - grid.bin(t, 0, frame.height / 2) + 1;
      const int along_column =
          grid.bin(t, frame.width / 2, frame.height - 1) - grid.bin(t, frame.width / 2, 0) + 1;
      const int rows = frame.height * along_row;
      const int columns = frame.width * along_column;
      const int slack = 2 * (frame.width + frame.height);  // one run more or less a line
      if (scan_of(grid, t) == Scan::kRows)
        EXPECT_LE(rows, columns + slack) << test::name_of(grid) << ": t " << t;
      else
        EXPECT_LE(columns, rows + slack) << test::name_of(grid) << ": t " << t;
      EXPECT_EQ(scan_of(grid, t) == Scan::kRows, t >= first_row_angle(grid));
    }
  }
}

TEST(BinEdges, AreKeptAsTheyAreFound) {
  auto grids = test::many_grids();
  grids.push_back(HoughGrid({4095, 2}, 5, 101));  // up to the last place of 16 bits
  grids.push_back(HoughGrid({2, 2}, 9, 16383));   // the finest offsets of a tiny image
  for (const auto& grid : grids) {
    ASSERT_TRUE(BinEdges::worth_keeping(grid));
    const BinEdges kept(grid);
    std::vector<std::uint32_t> found;
    for (int t = 0; t < half_thetas(grid); ++t)
      for (int tile = 0; tile < tile_count(grid, scan_of(grid, t)); ++tile) {
        const auto expected = find_tile_runs(grid, t, tile, found);
        const auto runs = kept.runs(t, tile);
        ASSERT_EQ(runs.first_bin, expected.first_bin);
        ASSERT_EQ(runs.bins, expected.bins);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), runs.edges))
            << test::name_of(grid) << ": t " << t << ", tile " << tile;
      }
  }
}

TEST(BinEdges, AreNotKeptWherePlacesNeedMoreThan16Bits) {
  EXPECT_TRUE(BinEdges::worth_keeping({{4095, 2}, 5, 101}));
  EXPECT_FALSE(BinEdges::worth_keeping({{4096, 2}, 5, 101}));
  EXPECT_FALSE(BinEdges::worth_keeping({{2, 4096}, 5, 101}));
}

TEST(BinEdges, AreNotKeptWhereTheyFillTheMemory) {
  EXPECT_TRUE(BinEdges::worth_keeping(HoughGrid::paper()));
  EXPECT_FALSE(BinEdges::worth_keeping({{8000, 8000}, 511, 8001}));
}

}  // namespace
}  // namespace vsmax
