// SPDX-License-Identifier: Apache-2.0
// Cells, their lines, and the seam between theta = 0 and pi on both covers.
#include "vsmax/hough/cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/hough_images.h"
#include "support/random.h"
#include "vsmax/hough/grid.h"

namespace vsmax {
namespace {

std::vector<CellShape> many_shapes(test::Random& random) {
  std::vector<CellShape> shapes{{1, 3}, {2, 3}, {3, 5}, {127, 127}};
  for (int repeat = 0; repeat < 10; ++repeat)
    shapes.push_back({random.integer(1, 40), 2 * random.integer(1, 30) + 1});
  const std::size_t single = shapes.size();
  for (std::size_t i = 0; i < single; ++i) shapes.push_back(shapes[i].on(Cover::kDouble));
  return shapes;
}

bool same_line(UnitLine a, UnitLine b) {
  return projective_sine(vector_from_line(a), vector_from_line(b)) < 1e-14;
}

TEST(SeamRow, IsThePapersFormulaOnTheSingleCover) {
  for (const int thetas : {1, 2, 3, 7, 127})
    for (int k = 0; k < thetas; ++k) {
      const SeamRow before = row_across_seam(Cover::kSingle, thetas, -1 - k);
      EXPECT_EQ(before.row, thetas - 1 - k);
      EXPECT_TRUE(before.flipped);
      const SeamRow after = row_across_seam(Cover::kSingle, thetas, thetas + k);
      EXPECT_EQ(after.row, k);
      EXPECT_TRUE(after.flipped);
      const SeamRow inside = row_across_seam(Cover::kSingle, thetas, k);
      EXPECT_EQ(inside.row, k);
      EXPECT_FALSE(inside.flipped);
    }
}

TEST(SeamRow, NeverFlipsOnTheDoubleCover) {
  for (const int rows : {2, 6, 254})
    for (int t = -rows; t < 2 * rows; ++t) {
      const SeamRow row = row_across_seam(Cover::kDouble, rows, t);
      EXPECT_EQ(row.row, (t + rows) % rows);
      EXPECT_FALSE(row.flipped);
    }
}

TEST(CellShape, CountsItsRowsAndCells) {
  test::Random random;
  for (const CellShape& shape : many_shapes(random)) {
    EXPECT_EQ(shape.rows(), shape.cover == Cover::kDouble ? 2 * shape.thetas : shape.thetas);
    EXPECT_EQ(shape.count(), static_cast<std::size_t>(shape.rows() * shape.rhos));
    EXPECT_TRUE(shape.on(Cover::kSingle) == (CellShape{shape.thetas, shape.rhos}));
    EXPECT_TRUE(shape.on(shape.cover) == shape);
  }
}

TEST(CellShape, IndexAndCellAreInverse) {
  test::Random random;
  for (const CellShape& shape : many_shapes(random)) {
    std::size_t index = 0;  // row by row
    for (int t = 0; t < shape.rows(); ++t)
      for (int r = 0; r < shape.rhos; ++r, ++index) {
        ASSERT_EQ(shape.index({t, r}), index);
        ASSERT_EQ(shape.cell(index).t, t);
        ASSERT_EQ(shape.cell(index).r, r);
      }
    EXPECT_EQ(index, shape.count());
  }
}

// There and back again by one period is the cell itself, also on the Moebius strip.
TEST(CellShape, AcrossTheSeamTwiceIsTheIdentity) {
  test::Random random;
  for (const CellShape& shape : many_shapes(random))
    for (int t = -shape.rows(); t < 2 * shape.rows(); ++t)
      for (int r = 0; r < shape.rhos; ++r) {
        const Cell once = shape.across_seam({t, r});
        ASSERT_GE(once.t, 0);
        ASSERT_LT(once.t, shape.rows());
        const Cell twice =
            shape.across_seam({t < 0 ? once.t - shape.rows() : once.t + shape.rows(), once.r});
        ASSERT_EQ(twice.t, once.t);
        const bool outside = t < 0 || t >= shape.rows();
        ASSERT_EQ(outside ? twice.r : once.r, r) << t;
      }
}

// (theta, rho) and (theta + pi, -rho) are one line (Eq. 2).
TEST(CellShape, ACellAndItsImageAcrossTheSeamAreOneLine) {
  test::Random random;
  for (const CellShape& shape : many_shapes(random))
    for (int t = -shape.rows(); t < 2 * shape.rows(); ++t)
      for (int r = 0; r < shape.rhos; ++r)
        ASSERT_TRUE(same_line(shape.line({t, r}), shape.line(shape.across_seam({t, r}))))
            << t << ", " << r << " of " << shape.thetas << "x" << shape.rhos;
}

TEST(CellShape, BothSheetsOfTheDoubleCoverHoldTheSameLines) {
  test::Random random;
  for (const CellShape& shape : many_shapes(random)) {
    if (shape.cover == Cover::kSingle) continue;
    for (int t = 0; t < shape.thetas; ++t)
      for (int r = 0; r < shape.rhos; ++r)
        ASSERT_TRUE(
            same_line(shape.line({t, r}), shape.line({shape.thetas + t, shape.rhos - 1 - r})));
  }
}

TEST(CellShape, HasTheLinesOfItsGridInUnitsOfD) {
  for (const HoughGrid& grid : test::many_grids()) {
    const CellShape shape = grid.shape();
    EXPECT_EQ(shape.count(), grid.cells());
    for (int t = 0; t < shape.thetas; ++t)
      for (int r = 0; r < shape.rhos; ++r) {
        const UnitLine unit = shape.line({t, r});
        const UnitLine expected = unit_from_pixel(grid.line({t, r}), grid.frame());
        ASSERT_EQ(unit.theta, expected.theta);
        ASSERT_NEAR(unit.rho, expected.rho, 1e-15);
        ASSERT_EQ(shape.rho(shape.rhos - 1 - r), -unit.rho);
      }
    EXPECT_EQ(shape.rho(shape.center()), 0.0);
    EXPECT_EQ(shape.rho(shape.rhos - 1), 1.0);
  }
}

TEST(Cells, ViewTheMemoryTheyAreGiven) {
  const CellShape shape{3, 5, Cover::kDouble};
  std::vector<int> memory(shape.count());
  std::iota(memory.begin(), memory.end(), 0);
  const Cells<int> cells(memory.data(), shape);
  EXPECT_EQ(cells.size(), memory.size());
  EXPECT_TRUE(cells.shape() == shape);
  EXPECT_EQ(std::vector<int>(cells.begin(), cells.end()), memory);
  for (int t = 0; t < shape.rows(); ++t)
    for (int r = 0; r < shape.rhos; ++r) {
      EXPECT_EQ(cells.at({t, r}), memory[shape.index({t, r})]);
      EXPECT_EQ(&cells.row(t)[r], &cells.at({t, r}));
    }
  cells.at({5, 4}) = -1;
  EXPECT_EQ(memory.back(), -1);
  const Cells<const int> readable = cells;
  EXPECT_EQ(readable.data(), memory.data());
  EXPECT_FALSE((std::is_convertible_v<Cells<const int>, Cells<int>>));
}

template <class Value>
std::vector<Value> doubled(const std::vector<Value>& once, CellShape shape) {
  std::vector<Value> twice(2 * once.size());
  double_cover(Cells<const Value>(once.data(), shape),
               Cells<Value>(twice.data(), shape.on(Cover::kDouble)));
  return twice;
}

template <class Value>
std::vector<Value> folded(const std::vector<Value>& twice, CellShape shape) {
  std::vector<Value> once(shape.count());
  fold_double_cover(Cells<const Value>(twice.data(), shape.on(Cover::kDouble)),
                    Cells<Value>(once.data(), shape));
  return once;
}

TEST(DoubleCover, KeepsTheFirstHalfAndFlipsRhoInTheSecond) {
  EXPECT_EQ(doubled<int>({1, 2, 3, 4, 5, 6}, {2, 3}),
            (std::vector<int>{1, 2, 3, 4, 5, 6, 3, 2, 1, 6, 5, 4}));
}

// The single cover continues past the seam with what the double cover holds there.
TEST(DoubleCover, UnrollsTheMoebiusStrip) {
  test::Random random;
  const CellShape shape{5, 7};
  const CellShape on_both = shape.on(Cover::kDouble);
  const auto single = random.integers<int>(shape.count(), 0, 1000);
  const auto twice = doubled(single, shape);
  for (int t = -shape.thetas; t < 2 * shape.thetas; ++t)
    for (int r = 0; r < shape.rhos; ++r)
      EXPECT_EQ(single[shape.index(shape.across_seam({t, r}))],
                twice[on_both.index(on_both.across_seam({t, r}))]);
}

TEST(DoubleCover, HasTheFoldAsItsAdjoint) {
  test::Random random;
  for (const CellShape& shape : {CellShape{1, 3}, {4, 5}, {31, 33}, {3, 1}}) {
    const auto x = random.integers<double>(shape.count(), -100, 100);
    const auto y = random.integers<double>(2 * shape.count(), -100, 100);
    const auto dx = doubled(x, shape);
    const auto fy = folded(y, shape);
    EXPECT_EQ(std::inner_product(dx.begin(), dx.end(), y.begin(), 0.0),
              std::inner_product(x.begin(), x.end(), fy.begin(), 0.0));
  }
}

TEST(DoubleCover, FoldedAgainIsTwiceTheAccumulator) {
  test::Random random;
  const CellShape shape{6, 9};
  const auto x = random.normals<float>(shape.count());
  const auto back = folded(doubled(x, shape), shape);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(back[i], 2.0F * x[i]);
}

#ifndef NDEBUG
TEST(CellsDeathTest, ACellOutsideIsCaughtWhereAssertionsAreOn) {
  std::vector<float> values(6);
  const Cells<float> cells(values.data(), {2, 3});
  EXPECT_DEATH(cells.at({0, 3}), "contains");
  EXPECT_DEATH(cells.at({-1, 0}), "contains");
  EXPECT_DEATH(cells.row(2), "rows");
}
#endif

}  // namespace
}  // namespace vsmax
