// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/posterior_evaluation.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/lines.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

EvaluationOptions small_options(int threads) {
  EvaluationOptions options;
  options.grid = HoughGrid({32, 32}, 15, 15);
  options.threads = threads;
  return options;
}

TEST(PosteriorEvaluation, ScoresTheEstimatesOfEveryLinesImage) {
  const auto options = small_options(1);
  const LinePosterior posterior(options.grid);
  const auto result = evaluate(posterior, 0.7, options);
  const auto cells = options.grid.resolvable_cells();
  ASSERT_EQ(result.best_expected.all.count, cells.size());
  LinePosterior::Scratch scratch;
  for (std::size_t i = 0; i < cells.size(); i += 5) {
    const PixelLine truth = options.grid.line(cells[i]);
    const auto image = test::image_of({32, 32}, truth, 0.7, static_cast<std::uint32_t>(i));
    const auto found = posterior(image, 0.7, scratch);
    EXPECT_EQ(result.maximum.scores[i], ea_score(found.maximum, truth, {32, 32}));
    EXPECT_EQ(result.barycentre.scores[i], ea_score(found.barycentre, truth, {32, 32}));
    EXPECT_EQ(result.best_expected.scores[i], ea_score(found.best_expected, truth, {32, 32}));
  }
}

TEST(PosteriorEvaluation, IsTheSameForAnyNumberOfThreads) {
  const LinePosterior posterior(small_options(1).grid);
  for (const double sigma : {0.0, 0.7}) {
    const auto one = evaluate(posterior, sigma, small_options(1));
    for (const int threads : {2, 3}) {
      const auto more = evaluate(posterior, sigma, small_options(threads));
      EXPECT_EQ(more.maximum.scores, one.maximum.scores);
      EXPECT_EQ(more.barycentre.scores, one.barycentre.scores);
      EXPECT_EQ(more.best_expected.scores, one.best_expected.scores);
    }
  }
}

TEST(PosteriorEvaluation, LiesAboveEveryDetector) {
  const auto options = small_options(2);
  const LinePosterior posterior(options.grid);
  for (const double sigma : {0.3, 0.6}) {
    const double ceiling = evaluate(posterior, sigma, options).best_expected.all.mean;
    for (const auto* name : {"classic", "argmax"})
      EXPECT_GT(ceiling, evaluate(load_model(name), sigma, options).all.mean);
  }
}

TEST(PosteriorEvaluation, RejectsLinesItDoesNotKnow) {
  auto options = small_options(1);
  const LinePosterior posterior(options.grid);
  options.lines = LineSet::kContinuous;
  EXPECT_TRUE(test::throws_error_with({"grid"}, [&] { evaluate(posterior, 0.1, options); }));
  options = small_options(1);
  options.grid = HoughGrid({32, 32}, 15, 17);
  EXPECT_TRUE(test::throws_error_with({"grid"}, [&] { evaluate(posterior, 0.1, options); }));
}

TEST(PosteriorEvaluation, StopsWhereProgressSaysSo) {
  const LinePosterior posterior(small_options(1).grid);
  EXPECT_THROW(evaluate(posterior, 0.0, small_options(2),
                        [](std::size_t done, std::size_t) { return done < 10; }),
               Interrupted);
}

}  // namespace
}  // namespace vsmax
