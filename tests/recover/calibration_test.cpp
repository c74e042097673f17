// SPDX-License-Identifier: Apache-2.0
// What the confidence promises: the EA-score that may be expected, and little where there is no
// line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "support/lines.h"
#include "support/models.h"
#include "support/scenes.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/hough/hough.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/prominence.h"
#include "vsmax/recover/trace.h"
#include "vsmax/refine/whiten.h"

namespace vsmax {
namespace {

struct Answer {
  double confidence = 0.0;
  double score = 0.0;
};

Answer answer_of(const Recovery& recovery, PixelLine truth, const ImageFrame& frame) {
  if (recovery.lines.empty()) return {};
  return {recovery.lines[0].confidence, ea_score(recovery.lines[0].line, truth, frame)};
}

// Every n-th line of the paper's data.
std::vector<Answer> answers_to_the_papers_lines(LineRecoverer& recover, double sigma, int n) {
  const HoughGrid grid = HoughGrid::paper();
  std::vector<Answer> answers;
  std::uint32_t index = 0;
  for (const Cell cell : grid.resolvable_cells()) {
    if (++index % static_cast<std::uint32_t>(n) != 0) continue;
    const auto image = test::image_of(grid.frame(), grid.line(cell), sigma, index);
    answers.push_back(answer_of(recover(image), grid.line(cell), grid.frame()));
  }
  return answers;
}

// The mean difference of confidence and score over ten groups of rising confidence.
double calibration_error(std::vector<Answer> answers) {
  std::stable_sort(answers.begin(), answers.end(),
                   [](const Answer& a, const Answer& b) { return a.confidence < b.confidence; });
  double error = 0.0;
  for (std::size_t group = 0; group < 10; ++group) {
    double difference = 0.0;
    for (std::size_t i = group * answers.size() / 10; i < (group + 1) * answers.size() / 10; ++i)
      difference += answers[i].confidence - answers[i].score;
    error += std::abs(difference) / static_cast<double>(answers.size());
  }
  return error;
}

TEST(Calibration, OfTheClassicModelIsWithinFiveHundredthsAtEveryNoise) {
  LineRecoverer recover(load_model("classic"));
  for (const double sigma : {0.0, 0.3, 0.6, 0.8})
    EXPECT_LE(calibration_error(answers_to_the_papers_lines(recover, sigma, 61)), 0.05) << sigma;
}

TEST(Calibration, OfTheOtherModelsIsWithinATenth) {
  for (const char* name : {"argmax", "paper"}) {
    LineRecoverer recover(load_model(name));
    for (const double sigma : {0.0, 0.6, 0.8})
      EXPECT_LE(calibration_error(answers_to_the_papers_lines(recover, sigma, 299)), 0.1)
          << name << ", sigma " << sigma;
  }
}

// 50 of a kind, of several sizes.
template <class Scene>
std::vector<GrayImage> fifty(const Scene& scene) {
  const std::vector<ImageFrame> frames{{256, 256}, {200, 300}, {384, 288}, {128, 96}, {256, 256}};
  std::vector<GrayImage> images;
  for (std::size_t i = 0; i < 50; ++i) images.push_back(scene(frames[i % frames.size()]));
  return images;
}

std::vector<GrayImage> images_without_a_line(test::Random& random) {
  std::vector<GrayImage> images;
  for (const auto scene :
       {test::white_noise, test::clouds, test::blobs, test::gradient, test::texture})
    for (GrayImage& image : fifty([&](const ImageFrame& frame) { return scene(random, frame); }))
      images.push_back(std::move(image));
  return images;
}

TEST(Confidence, IsLowWhereThereIsNoLine) {
  test::Random random;
  const auto images = images_without_a_line(random);
  for (const char* name : {"classic", "argmax"}) {
    LineRecoverer recover(load_model(name));
    std::size_t trusting = 0;
    for (const GrayImage& image : images) {
      const auto found = recover(image).lines;
      if (!found.empty() && found[0].confidence > 0.2) ++trusting;
    }
    EXPECT_LE(trusting, images.size() / 20) << name;
  }
}

TEST(Confidence, OfTheClassicModelIsLowOnAStep) {
  test::Random random;
  LineRecoverer recover(load_model("classic"));
  std::size_t trusting = 0;
  for (const GrayImage& image : fifty([&](const ImageFrame& frame) {
         return test::step(random, frame, test::random_line(random, frame));
       }))
    if (recover(image).lines.at(0).confidence > 0.2) ++trusting;
  EXPECT_LE(trusting, 4U);
}

// Wide, short, dark, on uneven ground: the line is found and trusted. (A short one on uneven ground
// is found, but need not be trusted.)
TEST(Confidence, OfTheClassicModelIsHighOnEveryKindOfLine) {
  test::Random random;
  LineRecoverer recover(load_model("classic"));
  const ImageFrame frame{256, 200};
  for (const test::Stroke stroke : {test::Stroke{1.0, 1.0, 0.3},
                                    {3.0, 1.0, 0.3},
                                    {5.0, 1.0, 0.3},
                                    {2.0, 0.4, 0.3},
                                    {2.0, 0.25, 0.4},
                                    {1.0, 1.0, -0.3},
                                    {4.0, 0.5, -0.3}})
    for (const bool clouded : {false, true}) {
      if (clouded && stroke.share < 1.0) continue;
      double least = 1.0;
      for (int i = 0; i < 10; ++i) {
        GrayImage image(frame, 0.5F);
        if (clouded) {
          image = test::clouds(random, frame);
          for (float& value : image.pixels) value = 0.45F + 0.1F * value;
        }
        const PixelLine line = test::random_line(random, frame);
        draw(image, line, stroke);
        add_noise(image, random, 0.05);
        const auto found = recover(image).lines.at(0);
        EXPECT_GT(ea_score(found.line, line, frame), 0.9);
        least = std::min(least, found.confidence);
      }
      EXPECT_GT(least, 0.8) << stroke.width << " wide, " << stroke.share << " long, "
                            << stroke.strength << (clouded ? ", clouded" : "");
    }
}

// What ProminenceScale was fitted with; run it by hand and read what it prints (docs/math.md):
//   vsmax_recover_tests --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_Fit*'
// The squared error of probability times expected score against the true score, which is 0 where
// there is no line.
TEST(Calibration, DISABLED_FitTheScale) {
  struct Sample {
    Prominence prominence;
    double expected = 0.0;
    double score = 0.0;
    bool line = true;
  };
  LineRecoverer recover(load_model("classic"));
  const auto sample_of = [&](const GrayImage& image, const PixelLine* truth) {
    RecoveryTrace trace;
    const auto found = recover(image, &trace).lines.at(0);
    const HoughGrid& grid = *trace.grid;
    const Cells<float> scores(trace.accumulator.data(), grid.shape());
    Whitening(HoughTransform(grid)).apply(image_statistics(image.pixels), scores);
    choose_polarity(scores, grid);
    return Sample{prominence(scores, grid, unit_from_pixel(trace.line, grid.frame())),
                  ExpectedScore(grid)({trace.probabilities.data(), grid.shape()}, trace.line),
                  truth == nullptr ? 0.0 : ea_score(found.line, *truth, image.frame()),
                  truth != nullptr};
  };
  test::Random random;
  std::vector<Sample> samples;
  for (const GrayImage& image : images_without_a_line(random))
    samples.push_back(sample_of(image, nullptr));
  for (const GrayImage& image : fifty([&](const ImageFrame& frame) {
         return test::step(random, frame, test::random_line(random, frame));
       }))
    samples.push_back(sample_of(image, nullptr));
  const HoughGrid paper = HoughGrid::paper();
  std::uint32_t index = 0;
  for (const Cell cell : paper.resolvable_cells())
    for (const double sigma : {0.3, 0.6, 0.8})
      if (++index % 71 == 0) {
        const PixelLine line = paper.line(cell);
        samples.push_back(sample_of(test::image_of(paper.frame(), line, sigma, index), &line));
      }
  double least = 1e9;
  for (double height = 4.0; height <= 6.5; height += 0.25)
    for (double ridge = 2.5; ridge <= 5.0; ridge += 0.25)
      for (const double sharpness : {6.0, 8.0, 12.0, 16.0}) {
        double loss = 0.0;
        int trusting = 0;
        for (const Sample& sample : samples) {
          const double confidence =
              line_probability(sample.prominence, {height, ridge, sharpness}) * sample.expected;
          loss += (confidence - sample.score) * (confidence - sample.score);
          if (!sample.line && confidence > 0.2) ++trusting;
        }
        if (loss >= least) continue;
        least = loss;
        std::printf("height %.2f, ridge %.2f, sharpness %.0f: error %.5f, %d of 300 trusted\n",
                    height, ridge, sharpness, loss / static_cast<double>(samples.size()), trusting);
      }
}

}  // namespace
}  // namespace vsmax
