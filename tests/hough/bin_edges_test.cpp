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

// What a tile says of its row j, without the empty runs on either side, is what the row says.
template <class Index>
void expect_tile_holds_row(const HoughGrid& grid, const TileRuns<Index>& runs, int t, int row) {
  const auto width = static_cast<std::size_t>(grid.frame().width);
  const std::size_t lane = static_cast<std::size_t>(row) % kRowsPerTile;
  std::vector<std::uint32_t> edges;
  const int first = find_row_runs(grid, t, row, edges);
  const auto last = first + static_cast<int>(edges.size()) - 2;
  ASSERT_LE(runs.first_bin, first);
  ASSERT_GE(runs.first_bin + static_cast<int>(runs.bins) - 1, last);
  for (std::size_t i = 0; i <= runs.bins; ++i) {
    const int bin = runs.first_bin + static_cast<int>(i);
    const std::size_t expected = bin <= first ? 0
                                 : bin > last ? width
                                              : edges[static_cast<std::size_t>(bin - first)];
    ASSERT_EQ(runs.edges[kRowsPerTile * i + lane], expected)
        << test::name_of(grid) << ": t " << t << ", row " << row << ", bin " << bin;
  }
}

TEST(TileRuns, HoldTheRunsOfTheirRows) {
  for (const auto& grid : test::many_grids()) {
    std::vector<std::uint32_t> found;
    for (int t = 0; t < half_thetas(grid); ++t)
      for (int row = 0; row < half_rows(grid); ++row)
        expect_tile_holds_row(
            grid, find_tile_runs(grid, t, row / static_cast<int>(kRowsPerTile), found), t, row);
  }
}

TEST(TileRuns, LeaveTheRowsThatAreNotThereEmpty) {
  const HoughGrid grid({9, 10}, 7, 11);  // five rows in the upper half: the second tile has one
  std::vector<std::uint32_t> found;
  for (int t = 0; t < half_thetas(grid); ++t) {
    const auto runs = find_tile_runs(grid, t, 1, found);
    for (std::size_t i = 0; i <= runs.bins; ++i)
      for (std::size_t lane = 1; lane < kRowsPerTile; ++lane)
        ASSERT_EQ(runs.edges[kRowsPerTile * i + lane], 0U);
  }
}

TEST(BinEdges, AreKeptAsTheyAreFound) {
  auto grids = test::many_grids();
  grids.push_back(HoughGrid({65535, 2}, 5, 101));  // up to the widest column of 16 bits
  grids.push_back(HoughGrid({2, 2}, 9, 16383));    // the finest offsets of a tiny image
  for (const auto& grid : grids) {
    ASSERT_TRUE(BinEdges::worth_keeping(grid));
    const BinEdges kept(grid);
    std::vector<std::uint32_t> found;
    for (int t = 0; t < half_thetas(grid); ++t)
      for (int tile = 0; tile < tile_count(grid); ++tile) {
        const auto expected = find_tile_runs(grid, t, tile, found);
        const auto runs = kept.runs(t, tile);
        ASSERT_EQ(runs.first_bin, expected.first_bin);
        ASSERT_EQ(runs.bins, expected.bins);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), runs.edges))
            << test::name_of(grid) << ": t " << t << ", tile " << tile;
      }
  }
}

TEST(BinEdges, AreNotKeptWhereColumnsNeedMoreThan16Bits) {
  EXPECT_TRUE(BinEdges::worth_keeping({{65535, 2}, 5, 101}));
  EXPECT_FALSE(BinEdges::worth_keeping({{65536, 2}, 5, 101}));
}

TEST(BinEdges, AreNotKeptWhereTheyFillTheMemory) {
  EXPECT_TRUE(BinEdges::worth_keeping(HoughGrid::paper()));
  EXPECT_FALSE(BinEdges::worth_keeping({{8000, 8000}, 511, 8001}));
}

}  // namespace
}  // namespace vsmax
