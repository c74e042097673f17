// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random.h"

namespace vsmax {
namespace {

// The most pairs over all orders of the columns.
std::size_t most_pairs(const ScoreMatrix& matrix, double threshold) {
  std::vector<std::size_t> column(std::max(matrix.rows, matrix.columns));
  std::iota(column.begin(), column.end(), std::size_t{0});
  std::size_t most = 0;
  do {
    std::size_t pairs = 0;
    for (std::size_t row = 0; row < matrix.rows; ++row)
      if (column[row] < matrix.columns && matrix.at(row, column[row]) >= threshold) ++pairs;
    most = std::max(most, pairs);
  } while (std::next_permutation(column.begin(), column.end()));
  return most;
}

ScoreMatrix random_matrix(std::size_t rows, std::size_t columns, test::Random& random) {
  ScoreMatrix matrix{rows, columns, std::vector<double>(rows * columns)};
  for (double& value : matrix.scores) value = random.uniform();
  return matrix;
}

TEST(MatchedPairs, FindsWhatAGreedyChoiceMisses) {
  // The first row prefers the only column that the second can have.
  const ScoreMatrix matrix{2, 2, {0.9, 0.8, 0.85, 0.1}};
  EXPECT_EQ(matched_pairs(matrix, 0.95), 0U);
  EXPECT_EQ(matched_pairs(matrix, 0.87), 1U);
  EXPECT_EQ(matched_pairs(matrix, 0.8), 2U) << "a score equal to the threshold counts";
}

TEST(MatchedPairs, OfNothingIsNone) {
  EXPECT_EQ(matched_pairs({}, 0.5), 0U);
  EXPECT_EQ(matched_pairs({3, 0, {}}, 0.5), 0U);
  EXPECT_EQ(matched_pairs({0, 3, {}}, 0.5), 0U);
}

TEST(MatchedPairs, IsTheBestOfAllAssignments) {
  test::Random random;
  for (int repeat = 0; repeat < 20; ++repeat)
    for (std::size_t rows = 1; rows <= 5; ++rows)
      for (std::size_t columns = 1; columns <= 5; ++columns) {
        const ScoreMatrix matrix = random_matrix(rows, columns, random);
        for (const double threshold : {0.0, 0.3, 0.5, 0.7, 0.9})
          ASSERT_EQ(matched_pairs(matrix, threshold), most_pairs(matrix, threshold));
      }
}

TEST(MatchedPairs, DoesNotDependOnTheOrder) {
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const ScoreMatrix matrix = random_matrix(6, 4, random);
    std::vector<std::size_t> rows(6);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    for (std::size_t i = 5; i > 0; --i)
      std::swap(rows[i], rows[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
    ScoreMatrix shuffled{6, 4, {}};
    ScoreMatrix transposed{4, 6, {}};
    for (const std::size_t row : rows)
      for (std::size_t column = 0; column < 4; ++column)
        shuffled.scores.push_back(matrix.at(row, column));
    for (std::size_t column = 0; column < 4; ++column)
      for (const std::size_t row : rows) transposed.scores.push_back(matrix.at(row, column));
    for (const double threshold : {0.4, 0.6, 0.8}) {
      const std::size_t pairs = matched_pairs(matrix, threshold);
      EXPECT_EQ(matched_pairs(shuffled, threshold), pairs);
      EXPECT_EQ(matched_pairs(transposed, threshold), pairs);
    }
  }
}

}  // namespace
}  // namespace vsmax
