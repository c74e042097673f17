// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/cover.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"

namespace vsmax {
namespace {

TEST(MoebiusPadding, IsThePapersFormula) {
  for (const int thetas : {1, 2, 3, 7, 127})
    for (int k = 0; k < thetas; ++k) {
      const CoverRow before = cover_row(Cover::kSingle, thetas, -1 - k);
      EXPECT_EQ(before.row, thetas - 1 - k);
      EXPECT_TRUE(before.flipped);
      const CoverRow after = cover_row(Cover::kSingle, thetas, thetas + k);
      EXPECT_EQ(after.row, k);
      EXPECT_TRUE(after.flipped);
      const CoverRow inside = cover_row(Cover::kSingle, thetas, k);
      EXPECT_EQ(inside.row, k);
      EXPECT_FALSE(inside.flipped);
    }
}

TEST(CircularPadding, OfTheDoubleCoverNeverFlips) {
  for (const int rows : {2, 6, 254})
    for (int t = -rows; t < 2 * rows; ++t) {
      const CoverRow row = cover_row(Cover::kDouble, rows, t);
      EXPECT_EQ(row.row, (t + rows) % rows);
      EXPECT_FALSE(row.flipped);
    }
}

TEST(DoubleCover, KeepsTheFirstHalfAndFlipsRhoInTheSecond) {
  const std::vector<int> single{1, 2, 3, 4, 5, 6};
  std::vector<int> twice(12);
  double_cover(single.data(), 2, 3, twice.data());
  EXPECT_EQ(twice, (std::vector<int>{1, 2, 3, 4, 5, 6, 3, 2, 1, 6, 5, 4}));
}

// What the single cover continues to past the seam is what stands there on the double cover.
TEST(DoubleCover, UnrollsTheMoebiusStrip) {
  constexpr int kThetas = 5;
  constexpr int kRhos = 7;
  test::Random random;
  const auto single = random.integers<int>(kThetas * kRhos, 0, 1000);
  std::vector<int> twice(2 * single.size());
  double_cover(single.data(), kThetas, kRhos, twice.data());
  for (int t = -kThetas; t < 2 * kThetas; ++t)
    for (int r = 0; r < kRhos; ++r) {
      const CoverRow on_single = cover_row(Cover::kSingle, kThetas, t);
      const CoverRow on_double = cover_row(Cover::kDouble, 2 * kThetas, t);
      const int column = on_single.flipped ? kRhos - 1 - r : r;
      EXPECT_EQ(single[static_cast<std::size_t>(on_single.row * kRhos + column)],
                twice[static_cast<std::size_t>(on_double.row * kRhos + r)]);
    }
}

TEST(DoubleCover, HasTheFoldAsItsAdjoint) {
  test::Random random;
  for (const auto& [thetas, rhos] : {std::pair{1UL, 3UL}, {4UL, 5UL}, {31UL, 33UL}, {3UL, 1UL}}) {
    const auto x = random.integers<double>(thetas * rhos, -100, 100);
    const auto y = random.integers<double>(2 * thetas * rhos, -100, 100);
    std::vector<double> dx(y.size()), fy(x.size());
    double_cover(x.data(), thetas, rhos, dx.data());
    fold_double_cover(y.data(), thetas, rhos, fy.data());
    double left = 0.0;
    double right = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) left += dx[i] * y[i];
    for (std::size_t i = 0; i < x.size(); ++i) right += x[i] * fy[i];
    EXPECT_EQ(left, right);
  }
}

TEST(DoubleCover, FoldedAgainIsTwiceTheAccumulator) {
  test::Random random;
  const auto x = random.normals<float>(6 * 9);
  std::vector<float> twice(2 * x.size()), folded(x.size());
  double_cover(x.data(), 6, 9, twice.data());
  fold_double_cover(twice.data(), 6, 9, folded.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(folded[i], 2.0F * x[i]);
}

}  // namespace
}  // namespace vsmax
