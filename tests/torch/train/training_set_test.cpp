// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/training_set.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

TrainConfig small_config() {
  TrainConfig config;
  config.model.frame = {32, 24};
  config.model.bins = {20, 31};
  config.batch = 16;
  config.validation_samples = 1000;
  return config;
}

using Place = std::pair<int, int>;
Place place(const TrainingSample& sample) { return {sample.cell.t, sample.cell.r}; }

TEST(TrainingSet, AnEpochIsAPermutationWithoutItsLastPartialBatch) {
  const TrainConfig config = small_config();
  const TrainingSet set(config);
  EXPECT_EQ(set.lines(), config.grid().resolvable_cells().size());
  EXPECT_EQ(set.steps(), set.lines() / 16);
  ASSERT_NE(set.lines() % 16, 0U);
  std::set<Place> seen;
  for (std::size_t step = 0; step < set.steps(); ++step)
    for (const auto& sample : set.training_batch(3, step)) {
      EXPECT_TRUE(seen.insert(place(sample)).second);
      EXPECT_TRUE(config.grid().resolvable(sample.cell));
      EXPECT_GE(sample.sigma, 0.0);
      EXPECT_LE(sample.sigma, 0.5);
      EXPECT_EQ(sample.key.split, Split::kTrain);
    }
  EXPECT_EQ(seen.size(), set.steps() * 16);
}

TEST(TrainingSet, ThePapersSetHas224Steps) {
  TrainConfig config;
  const TrainingSet set(config);
  EXPECT_EQ(set.lines(), 14395U);
  EXPECT_EQ(set.steps(), 224U);
}

TEST(TrainingSet, SamplesArePureAndDifferByEpochAndSeed) {
  const TrainingSet set(small_config());
  const TrainingSet again(small_config());
  TrainConfig other_seed = small_config();
  other_seed.seed = 43;
  const auto a = set.training_batch(1, 2);
  static_cast<void>(again.training_batch(7, 0));  // what was drawn before does not matter
  const auto b = again.training_batch(1, 2);
  int same_in_next_epoch = 0;
  int same_with_other_seed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(place(a[i]), place(b[i]));
    EXPECT_EQ(a[i].sigma, b[i].sigma);
    std::vector<float> first(32 * 24);
    std::vector<float> second(32 * 24);
    render_line({32, 24}, small_config().grid().line(a[i].cell), a[i].sigma, a[i].key, first);
    render_line({32, 24}, small_config().grid().line(b[i].cell), b[i].sigma, b[i].key, second);
    EXPECT_EQ(first, second);
    same_in_next_epoch += place(a[i]) == place(set.training_batch(2, 2)[i]);
    same_with_other_seed += place(a[i]) == place(TrainingSet(other_seed).training_batch(1, 2)[i]);
  }
  EXPECT_LT(same_in_next_epoch, 4);
  EXPECT_LT(same_with_other_seed, 4);
}

TEST(TrainingSet, ValidationIsFixedAndItsBatchesDoNotMatter) {
  const TrainingSet set(small_config());
  const auto whole = set.validation_batch(0, 1000);
  const auto part = set.validation_batch(500, 510);
  std::set<Place> first_lines;
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(place(part[i]), place(whole[500 + i]));
    EXPECT_EQ(part[i].sigma, whole[500 + i].sigma);
    EXPECT_EQ(part[i].key.split, Split::kValidation);
  }
  for (std::size_t i = 0; i < set.lines(); ++i) first_lines.insert(place(whole[i]));
  EXPECT_EQ(first_lines.size(), set.lines());  // a line comes again only when all have been
  ASSERT_LT(set.lines(), 1000U);
  EXPECT_EQ(place(whole[0]), place(whole[set.lines()]));
  EXPECT_NE(whole[0].sigma, whole[set.lines()].sigma);
}

TEST(TrainingSet, SupportsAreTheFourRegions) {
  const HoughGrid grid = HoughGrid::paper();
  std::array<std::size_t, 5> counts{};
  for (const Cell cell : grid.resolvable_cells()) {
    const bool g1 = grid.theta(cell.t) < 1.5707963;
    const bool g2 = grid.rho(cell.r) < 0.0;
    EXPECT_TRUE(in_support(Support::kAll, grid, cell));
    EXPECT_EQ(in_support(Support::kG1, grid, cell), g1);
    EXPECT_EQ(in_support(Support::kG2, grid, cell), g2);
    EXPECT_EQ(in_support(Support::kG3, grid, cell), cell.r > cell.t);
    EXPECT_EQ(in_support(Support::kG4, grid, cell), g1 && g2);
    for (std::size_t s = 0; s < counts.size(); ++s)
      counts[s] += in_support(static_cast<Support>(s), grid, cell) ? 1U : 0U;
  }
  TrainConfig config;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    config.support = static_cast<Support>(s);
    EXPECT_EQ(TrainingSet(config).lines(), counts[s]);
  }
}

}  // namespace
}  // namespace vsmax
