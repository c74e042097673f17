// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/cell_scores.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/random.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

double expected_score(const CellScores& scores, std::size_t answer,
                      const std::vector<WeightedCell>& distribution) {
  double sum = 0.0;
  for (const auto& [cell, weight] : distribution) sum += weight * scores(answer, cell);
  return sum;
}

TEST(CellScores, AreTheEaScoreToTheLastBit) {
  test::Random random;
  for (const HoughGrid& grid :
       {HoughGrid({24, 20}, 11, 13), {{2, 9}, 6, 7}, {{65, 65}, 1, 65}, HoughGrid::paper()}) {
    const CellScores scores(grid);
    const auto cells = grid.resolvable_cells();
    const auto last = static_cast<int>(cells.size()) - 1;
    for (int repeat = 0; repeat < 20000; ++repeat) {
      const auto a = static_cast<std::size_t>(random.integer(0, last));
      const auto b = static_cast<std::size_t>(random.integer(0, last));
      ASSERT_EQ(scores(a, b), ea_score(grid.line(cells[a]), grid.line(cells[b]), grid.frame()));
    }
  }
}

TEST(CellScores, FindTheAnswerOfHighestExpectation) {
  test::Random random;
  const HoughGrid grid({40, 33}, 17, 21);
  const CellScores scores(grid);
  const auto count = grid.resolvable_cells().size();
  std::vector<WeightedCell> memory;
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::vector<WeightedCell> distribution;
    for (int i = random.integer(1, 30); i > 0; --i)
      distribution.push_back(
          {static_cast<std::size_t>(random.integer(0, static_cast<int>(count) - 1)),
           random.uniform()});
    const double found =
        expected_score(scores, scores.best_expected(distribution, memory), distribution);
    for (std::size_t answer = 0; answer < count; ++answer)
      ASSERT_GE(found, expected_score(scores, answer, distribution) - 1e-11);
  }
}

TEST(CellScores, AnswerWithTheCellThatIsCertain) {
  const CellScores scores(HoughGrid({40, 33}, 17, 21));
  std::vector<WeightedCell> memory;
  for (const std::size_t cell : {0UL, 7UL, 100UL})
    EXPECT_EQ(scores.best_expected(std::vector<WeightedCell>{{cell, 1.0}}, memory), cell);
}

// Between two lines lies none that scores better against both than the one against itself.
TEST(CellScores, AnswerWithTheFirstOfTwoEqualCells) {
  const CellScores scores(HoughGrid({40, 33}, 17, 21));
  std::vector<WeightedCell> memory;
  const std::vector<WeightedCell> forth{{3, 0.5}, {150, 0.5}};
  const std::vector<WeightedCell> back{{150, 0.5}, {3, 0.5}};
  EXPECT_EQ(scores.best_expected(forth, memory), 3U);
  EXPECT_EQ(scores.best_expected(back, memory), 3U);
}

}  // namespace
}  // namespace vsmax
