// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/evaluation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>
#include <set>

#include "vsmax/data/synthetic.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax {
namespace {

EvaluationOptions small_options(int threads) {
  EvaluationOptions options;
  options.grid = HoughGrid({32, 32}, 15, 15);
  options.threads = threads;
  return options;
}

bool same(const ScoreSummary& a, const ScoreSummary& b) {
  return a.count == b.count && a.mean == b.mean && a.deviation == b.deviation;
}

TEST(Summary, IsMeanAndDeviationOfThePopulation) {
  const auto summary = summarize({1.0, 2.0, 3.0, 6.0});
  EXPECT_EQ(summary.count, 4U);
  EXPECT_DOUBLE_EQ(summary.mean, 3.0);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(14.0 / 4.0));
}

TEST(Summary, OfOneOrNoneIsFinite) {
  const auto one = summarize({0.7});
  EXPECT_EQ(one.count, 1U);
  EXPECT_EQ(one.mean, 0.7);
  EXPECT_EQ(one.deviation, 0.0);
  const auto none = summarize(std::vector<double>{});
  EXPECT_EQ(none.count, 0U);
  EXPECT_EQ(none.mean, 0.0);
  EXPECT_EQ(none.deviation, 0.0);
}

TEST(OnSeam, IsFiveAnglesOnEitherSideOfThePapersGrid) {
  const HoughGrid grid = HoughGrid::paper();
  const std::set<int> seam{0, 1, 2, 3, 4, 122, 123, 124, 125, 126};
  for (int t = 0; t < 127; ++t)
    for (const int r : {0, 63, 126})
      EXPECT_EQ(on_seam(grid.line({t, r})), seam.count(t) == 1) << "t " << t;
}

TEST(OnSeam, DoesNotDependOnTheRepresentative) {
  for (const double theta : {0.01, 0.11, 0.12, 1.5, 3.0, 3.01, 3.13})
    for (int turns = -2; turns <= 2; ++turns)
      EXPECT_EQ(on_seam({theta + turns * std::numbers::pi, 1.0}), on_seam({theta, 1.0}));
}

TEST(Evaluation, IsTheSameForAnyNumberOfThreads) {
  const Model model = load_model("classic");
  for (const double sigma : {0.0, 0.4})
    for (const LineSet lines : {LineSet::kGrid, LineSet::kContinuous}) {
      auto options = small_options(1);
      options.lines = lines;
      const auto one = evaluate(model, sigma, options);
      for (const int threads : {2, 3}) {
        options.threads = threads;
        const auto more = evaluate(model, sigma, options);
        EXPECT_EQ(more.scores, one.scores) << threads;
        EXPECT_TRUE(same(more.all, one.all));
        EXPECT_TRUE(same(more.seam, one.seam));
        EXPECT_TRUE(same(more.interior, one.interior));
      }
    }
}

TEST(Evaluation, ScoresEveryResolvableLineOnce) {
  const Model model = load_model("classic");
  const auto options = small_options(1);
  const auto result = evaluate(model, 0.2, options);
  const auto cells = options.grid.resolvable_cells();
  ASSERT_EQ(result.lines.size(), cells.size());
  ASSERT_EQ(result.scores.size(), cells.size());
  EXPECT_EQ(result.all.count, cells.size());
  EXPECT_EQ(result.seam.count + result.interior.count, cells.size());
  EXPECT_GT(result.seam.count, 0U);
  LineRecoverer again(model);
  GrayImage image(32, 32);
  for (std::size_t i = 0; i < cells.size(); i += 7) {
    const PixelLine truth = options.grid.line(cells[i]);
    EXPECT_EQ(result.lines[i].theta, truth.theta);
    EXPECT_EQ(result.lines[i].rho, truth.rho);
    render_line({32, 32}, truth, 0.2, {42, Split::kTest, 0, static_cast<std::uint32_t>(i)},
                image.pixels);
    const auto found = again(image).lines;
    EXPECT_EQ(result.scores[i], found.empty() ? 0.0 : ea_score(found[0].line, truth, {32, 32}));
  }
}

TEST(Evaluation, SplitsTheMeanIntoSeamAndInterior) {
  const auto result = evaluate(load_model("argmax"), 0.3, small_options(2));
  double seam = 0.0;
  double interior = 0.0;
  for (std::size_t i = 0; i < result.lines.size(); ++i)
    (on_seam(result.lines[i]) ? seam : interior) += result.scores[i];
  EXPECT_NEAR(result.seam.mean, seam / static_cast<double>(result.seam.count), 1e-12);
  EXPECT_NEAR(result.interior.mean, interior / static_cast<double>(result.interior.count), 1e-12);
  EXPECT_NEAR(result.all.mean, (seam + interior) / static_cast<double>(result.all.count), 1e-12);
}

TEST(Evaluation, OfContinuousLinesIsOffTheGrid) {
  auto options = small_options(1);
  options.lines = LineSet::kContinuous;
  const auto result = evaluate(load_model("argmax"), 0.0, options);
  EXPECT_EQ(result.lines.size(), options.grid.resolvable_cells().size());
  int on_grid = 0;
  for (const auto& line : result.lines) {
    EXPECT_TRUE(visible_segment(line, options.grid.frame()));
    const double bin = line.theta / std::numbers::pi * options.grid.thetas();
    on_grid += std::abs(bin - std::round(bin)) < 1e-6 ? 1 : 0;
  }
  EXPECT_LT(on_grid, 3);
}

TEST(Evaluation, DependsOnlyOnTheSeedAndTheNoise) {
  const Model model = load_model("argmax");
  auto options = small_options(1);
  const auto a = evaluate(model, 0.5, options);
  options.seed = 43;
  const auto b = evaluate(model, 0.5, options);
  EXPECT_NE(a.scores, b.scores);
  EXPECT_EQ(evaluate(model, 0.0, options).scores, evaluate(model, 0.0, small_options(1)).scores);
}

TEST(Evaluation, FallsWithTheNoise) {
  const Model model = load_model("argmax");
  const double clean = evaluate(model, 0.0, small_options(1)).all.mean;
  const double noisy = evaluate(model, 0.8, small_options(1)).all.mean;
  EXPECT_GT(clean, 0.9);
  EXPECT_LT(noisy, clean - 0.1);
}

TEST(Progress, CountsEveryLineOnce) {
  for (const int threads : {1, 3}) {
    std::size_t expected = 0;
    std::size_t all = 0;
    evaluate(load_model("argmax"), 0.0, small_options(threads),
             [&](std::size_t done, std::size_t total) {
               EXPECT_EQ(done, ++expected);  // calls do not overlap
               all = total;
               return true;
             });
    EXPECT_EQ(expected, all);
    EXPECT_EQ(all, small_options(1).grid.resolvable_cells().size());
  }
}

TEST(Progress, StopsTheEvaluationWhenItReturnsFalse) {
  for (const int threads : {1, 2, 3}) {
    std::size_t calls = 0;
    EXPECT_THROW(evaluate(load_model("argmax"), 0.0, small_options(threads),
                          [&](std::size_t done, std::size_t) {
                            ++calls;
                            return done < 10;
                          }),
                 Interrupted);
    EXPECT_LT(calls, 10U + static_cast<std::size_t>(threads));
  }
}

TEST(RenderedLines, AreTheGridsLinesWithNoiseOfSeedAndIndex) {
  const auto options = small_options(1);
  const RenderedLines lines(options, 0.3);
  EXPECT_TRUE(lines.frame() == options.grid.frame());
  ASSERT_EQ(lines.count(), options.grid.resolvable_cells().size());
  GrayImage shared;  // of another size at first
  for (const std::size_t i : {std::size_t{0}, std::size_t{5}, lines.count() - 1}) {
    GrayImage expected(lines.frame());
    render_line(lines.frame(), lines.line(i), 0.3,
                {options.seed, Split::kTest, 0, static_cast<std::uint32_t>(i)}, expected.pixels);
    EXPECT_EQ(lines.render(i, shared).pixels, expected.pixels);
    EXPECT_EQ(shared.pixels, expected.pixels) << "the worker's memory is used";
  }
}

TEST(RenderedLines, ASampleIsSpreadOverAllLines) {
  auto options = small_options(1);
  for (const LineSet set : {LineSet::kGrid, LineSet::kContinuous}) {
    options.lines = set;
    options.sample = 0;
    const RenderedLines whole(options, 0.3);
    options.sample = 10;
    const RenderedLines some(options, 0.3);
    ASSERT_EQ(some.count(), 10U);
    GrayImage one;
    GrayImage other;
    for (std::size_t i = 0; i < 10; ++i) {
      const std::size_t place = i * whole.count() / 10;
      EXPECT_EQ(some.line(i).theta, whole.line(place).theta);
      EXPECT_EQ(some.line(i).rho, whole.line(place).rho);
      EXPECT_EQ(some.render(i, one).pixels, whole.render(place, other).pixels);
    }
  }
}

TEST(RenderedLines, NearTheSeamAreTheSameImagesOfFewerAngles) {
  auto options = small_options(1);
  const RenderedLines whole(options, 0.3);
  options.near_seam = 2;
  const RenderedLines near(options, 0.3);
  std::size_t next = 0;
  GrayImage one;
  GrayImage other;
  for (std::size_t i = 0; i < whole.count(); ++i) {
    const auto t = std::lround(whole.line(i).theta * 15.0 / std::numbers::pi);
    if (t > 2 && t < 13) continue;
    ASSERT_LT(next, near.count());
    EXPECT_EQ(near.line(next).rho, whole.line(i).rho);
    EXPECT_EQ(near.render(next++, one).pixels, whole.render(i, other).pixels);
  }
  EXPECT_EQ(next, near.count());
}

TEST(ProgressCounter, CountsUpAndThrowsWhereItIsToldToStop) {
  std::vector<std::size_t> calls;
  const Progress progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 5U);
    calls.push_back(done);
    return done < 3;
  };
  ProgressCounter counter(progress, 5);
  counter.advance();
  counter.advance();
  EXPECT_THROW(counter.advance(), Interrupted);
  EXPECT_EQ(calls, (std::vector<std::size_t>{1, 2, 3}));
  const Progress none;
  EXPECT_NO_THROW(ProgressCounter(none, 1).advance());
}

}  // namespace
}  // namespace vsmax
