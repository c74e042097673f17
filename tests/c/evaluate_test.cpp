// SPDX-License-Identifier: Apache-2.0
// The evaluation of the C interface, and dark lines, against the C++ library.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "c/recoverer_handle.h"
#include "support/lines.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/score/evaluation.h"

namespace vsmax {
namespace {

vsmax_evaluation_options small_options() {
  vsmax_evaluation_options options = VSMAX_EVALUATION_OPTIONS_INIT;
  options.sigma = 0.3;
  options.width = 40;
  options.height = 30;
  options.angles = 11;
  options.offsets = 9;
  options.seed = 7;
  return options;
}

void expect_same(const vsmax_scores& scores, const ScoreSummary& expected) {
  EXPECT_EQ(scores.count, expected.count);
  EXPECT_EQ(scores.mean, expected.mean);
  EXPECT_EQ(scores.deviation, expected.deviation);
}

TEST(CEvaluation, GivesTheScoresOfTheLibrary) {
  for (const bool continuous : {false, true}) {
    vsmax_evaluation_options options = small_options();
    options.continuous = continuous ? 1 : 0;
    const Evaluation expected =
        evaluate(load_model("classic"), options.sigma,
                 {HoughGrid({40, 30}, 11, 9), continuous ? LineSet::kContinuous : LineSet::kGrid,
                  options.seed, 1});
    ASSERT_GT(expected.seam.count, 0U);
    for (const int threads : {0, 1, 3}) {
      options.threads = threads;
      vsmax_evaluation result = VSMAX_EVALUATION_INIT;
      ASSERT_EQ(vsmax_evaluate("classic", &options, &result), VSMAX_OK) << vsmax_last_error();
      expect_same(result.all, expected.all);
      expect_same(result.seam, expected.seam);
      expect_same(result.interior, expected.interior);
      EXPECT_EQ(result.calibration_error, expected.reliability->calibration.error);
    }
  }
}

struct Count {
  std::atomic<std::size_t> calls = 0;
  std::size_t stop_after = std::numeric_limits<std::size_t>::max();
  std::size_t total = 0;
};

int count_calls(void* data, std::size_t done, std::size_t total) {
  auto& count = *static_cast<Count*>(data);
  ++count.calls;
  count.total = total;
  return done >= count.stop_after ? 1 : 0;
}

TEST(CEvaluation, ReportsProgressAndStopsWhenAsked) {
  vsmax_evaluation_options options = small_options();
  options.progress = count_calls;
  Count count;
  options.data = &count;
  vsmax_evaluation result = VSMAX_EVALUATION_INIT;
  ASSERT_EQ(vsmax_evaluate("classic", &options, &result), VSMAX_OK) << vsmax_last_error();
  EXPECT_EQ(count.calls, result.all.count);
  EXPECT_EQ(count.total, result.all.count);

  Count stopping;
  stopping.stop_after = 3;
  options.data = &stopping;
  options.threads = 1;
  result = VSMAX_EVALUATION_INIT;
  EXPECT_EQ(vsmax_evaluate("classic", &options, &result), VSMAX_ERROR_STOPPED);
  EXPECT_EQ(stopping.calls, 3U);
  EXPECT_EQ(result.all.count, 0U);
  EXPECT_STREQ(vsmax_last_error(), "stopped by the progress function");
}

TEST(CEvaluation, NamesWhatIsWrong) {
  const auto expect_named = [](const char* model, const vsmax_evaluation_options& options,
                               vsmax_status status, const std::string& part) {
    vsmax_evaluation result = VSMAX_EVALUATION_INIT;
    EXPECT_EQ(vsmax_evaluate(model, &options, &result), status) << part;
    EXPECT_NE(std::string(vsmax_last_error()).find(part), std::string::npos) << vsmax_last_error();
    EXPECT_EQ(result.all.count, 0U);
  };
  const auto with = [](auto member, auto value) {
    vsmax_evaluation_options options = small_options();
    options.*member = value;
    return options;
  };
  using Options = vsmax_evaluation_options;
  expect_named(nullptr, small_options(), VSMAX_ERROR_ARGUMENT, "model is NULL");
  expect_named("nosuch", small_options(), VSMAX_ERROR_INPUT, "'nosuch'");
  expect_named("paper", small_options(), VSMAX_ERROR_ARGUMENT, "its own grid");
  expect_named("classic", with(&Options::sigma, -1.0), VSMAX_ERROR_ARGUMENT, "-1.0");
  expect_named("classic", with(&Options::sigma, std::numeric_limits<double>::infinity()),
               VSMAX_ERROR_ARGUMENT, "inf");
  expect_named("classic", with(&Options::threads, -1), VSMAX_ERROR_ARGUMENT, "threads is -1");
  expect_named("classic", with(&Options::width, 1), VSMAX_ERROR_ARGUMENT, "1x30");
  expect_named("classic", with(&Options::offsets, 8), VSMAX_ERROR_INPUT, "8");
  expect_named("classic", with(&Options::angles, -5), VSMAX_ERROR_INPUT, "-5");
  expect_named("classic", with(&Options::struct_size, std::size_t{8}), VSMAX_ERROR_ARGUMENT,
               "options.struct_size is 8");
  vsmax_evaluation unset{};
  EXPECT_EQ(vsmax_evaluate("classic", nullptr, &unset), VSMAX_ERROR_ARGUMENT);
  EXPECT_EQ(vsmax_evaluate("classic", nullptr, nullptr), VSMAX_ERROR_ARGUMENT);
}

TEST(CDark, FindsTheDarkLineOfTheLibrary) {
  GrayImage image = test::image_of({96, 80}, {0.7, -9.0}, 0.1);
  for (float& pixel : image.pixels) pixel = 1.0F - pixel;
  vsmax_image view = test::image_with(image.pixels.data(), image.width, image.height);
  view.sample_type = VSMAX_FLOAT32;
  const vsmax_options one{sizeof(vsmax_options), 1, 0.0};
  for (const std::string model : {"classic", "auto"}) {
    Model dark = load_model(model == "auto" ? "default" : model);
    dark.spec.polarity = Polarity::kDark;
    const Recovery expected = LineRecoverer(dark)(image);
    vsmax_recoverer* made = nullptr;
    ASSERT_EQ(vsmax_recoverer_create_dark(model.c_str(), &made), VSMAX_OK) << vsmax_last_error();
    const test::RecovererHandle recoverer(made);
    vsmax_result result = VSMAX_RESULT_INIT;
    ASSERT_EQ(vsmax_recover(made, &view, &one, &result), VSMAX_OK) << vsmax_last_error();
    ASSERT_EQ(result.line_count, 1U);
    EXPECT_EQ(result.lines[0].theta, expected.lines.at(0).line.theta);
    EXPECT_NEAR(result.lines[0].theta, 0.7, 0.05);
  }
  vsmax_recoverer* made = nullptr;
  EXPECT_EQ(vsmax_recoverer_create_dark(nullptr, &made), VSMAX_ERROR_ARGUMENT);
  for (const char* model : {"edges", "horizon", "photo-lines"}) {
    EXPECT_EQ(vsmax_recoverer_create_dark(model, &made), VSMAX_ERROR_ARGUMENT);
    EXPECT_EQ(vsmax_last_error(),
              "dark lines need a model of thin lines, which " + std::string(model) + " is not");
  }
  EXPECT_EQ(vsmax_recoverer_create_dark("classic", nullptr), VSMAX_ERROR_ARGUMENT);
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace vsmax
