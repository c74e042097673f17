// SPDX-License-Identifier: Apache-2.0
// The one rule of which cell a pixel votes for (Eq. 7), against exact and wider arithmetic. Its
// mirror symmetries are in grid_mirror_test.cpp.
#include "vsmax/hough/bin_rule.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <vector>

#include "support/hough_images.h"
#include "support/random.h"
#include "vsmax/hough/grid.h"

namespace vsmax {
namespace {

TEST(RoundHalfAway, IsStdRound) {
  test::Random random;
  std::vector<double> values{0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1e9, -1e9};
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const double whole = random.integer(-20000, 20000);
    values.push_back(whole + random.uniform(-1.0, 1.0));
    for (const double half : {whole + 0.5, whole - 0.5})
      for (const double value : {half, std::nextafter(half, 1e9), std::nextafter(half, -1e9)})
        values.push_back(value);
  }
  for (const double value : values) ASSERT_EQ(round_half_away(value), std::lround(value)) << value;
}

TEST(RoundHalfAway, IsOddToTheLastTie) {
  test::Random random;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const double value = repeat % 2 == 0 ? random.integer(0, 9999) + 0.5 : random.uniform(0.0, 1e4);
    ASSERT_EQ(round_half_away(-value), -round_half_away(value)) << value;
  }
}

// The quotient of two integers, rounded with ties away from zero.
int exact_bin(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t size = (2 * std::abs(numerator) + denominator) / (2 * denominator);
  return static_cast<int>(numerator < 0 ? -size : size);
}

// Along the axes of a 3:4:5 rectangle everything is rational: with W-1 = 4k, H-1 = 3k and R-1 = m
// the bin width is 5k/m, so that an offset of a/2 pixels lies a m / (10 k) bins from the centre.
// Where 5k/m is a double, its ties are exact as well.
TEST(BinRule, IsExactOnTheAxesOfPythagoreanRectangles) {
  int ties = 0;
  for (const int k : {1, 2, 3, 5, 8, 10, 16, 20})
    for (const int m : {2, 4, 10, 20, 50, 64, 100, 160}) {
      const HoughGrid grid({4 * k + 1, 3 * k + 1}, 2, m + 1);  // theta = 0 and pi/2
      const bool representable = std::has_single_bit(static_cast<unsigned>(m / std::gcd(5 * k, m)));
      const auto expect_exact = [&](int doubled_offset, int bin) {
        const std::int64_t numerator = std::int64_t{doubled_offset} * m;
        const bool tie = std::abs(numerator) % (10 * k) == 5 * k;
        if (tie && !representable) return;
        ties += tie ? 1 : 0;
        ASSERT_EQ(bin - m / 2, exact_bin(numerator, 10 * k))
            << "k " << k << ", R " << m + 1 << ", twice the offset " << doubled_offset;
      };
      for (int i = 0; i <= 4 * k; ++i) expect_exact(2 * i - 4 * k, grid.bin(0, i, i % (3 * k)));
      for (int i = 0; i <= 3 * k; ++i) expect_exact(2 * i - 3 * k, grid.bin(1, i, i));
    }
  EXPECT_GT(ties, 100) << "the grids must hold ties";
}

// Elsewhere the offset is irrational: the bin is that of long double, except within rounding of a
// tie, where either neighbour is nearest.
TEST(BinRule, IsThatOfLongDoubleAwayFromTies) {
  constexpr long double kPi = std::numbers::pi_v<long double>;
  for (const HoughGrid& grid : test::many_grids()) {
    const ImageFrame& frame = grid.frame();
    const long double width =
        std::hypot(static_cast<long double>(frame.width - 1), frame.height - 1) / (grid.rhos() - 1);
    for (int t = 0; t < grid.thetas(); ++t) {
      const long double c = std::cos(kPi * t / grid.thetas());
      const long double s = std::sin(kPi * t / grid.thetas());
      for (int row = 0; row < frame.height; row += 1 + frame.height / 20)
        for (int column = 0; column < frame.width; column += 1 + frame.width / 20) {
          const long double offset = (frame.x(column) * c + frame.y(row) * s) / width;
          const int found = grid.bin(t, column, row) - grid.shape().center();
          if (std::abs(std::abs(offset - std::trunc(offset)) - 0.5L) > 1e-11L)
            ASSERT_EQ(found, std::lround(offset)) << test::name_of(grid) << ", t " << t;
          else
            ASSERT_LE(std::abs(found - offset), 0.5L + 1e-11L) << test::name_of(grid);
        }
    }
  }
}

}  // namespace
}  // namespace vsmax
