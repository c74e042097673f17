// SPDX-License-Identifier: Apache-2.0
// The model `edges`: steps between a brighter and a darker area.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "support/moved_pixels.h"
#include "support/scenes.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

using std::numbers::pi;

TEST(Edges, FindsStepsOfEveryDirectionAndSize) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  double confidence = 0.0;
  int exact = 0;
  for (const ImageFrame frame : {ImageFrame{256, 256}, {90, 120}, {640, 400}})
    for (const double theta : {0.0, 0.003, 0.7, pi / 2, 2.3, pi - 0.003})
      for (const double share : {-0.5, 0.02, 0.4}) {
        const PixelLine line{theta, share * frame.reach(std::cos(theta), std::sin(theta))};
        const auto found = recover(test::step(random, frame, line)).lines.at(0);
        const double score = ea_score(found.line, line, frame);
        EXPECT_GT(score, 0.88) << theta << ", " << share;
        if (score > 0.99) ++exact;
        confidence += found.confidence;
      }
  constexpr int kSteps = 3 * 6 * 3;
  EXPECT_GT(confidence / kSteps, 0.9);
  EXPECT_GT(exact, kSteps * 9 / 10);  // all but those too short to be refined
}

// Up to the grid, which has no symmetry of 90 degrees.
TEST(Edges, TurnsAndMirrorsWithTheImage) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{128, 128};
  for (const PixelLine line : {PixelLine{0.4, 20.0}, {1.9, -30.0}, {3.0, 11.0}}) {
    const GrayImage image = test::step(random, frame, line);
    const GrayImage turned = test::turned(image);
    const GrayImage mirrored = test::mirrored(image);
    const PixelLine found = recover(image).lines.at(0).line;
    EXPECT_GT(ea_score(recover(turned).lines.at(0).line, {found.theta + pi / 2, found.rho}, frame),
              0.97);
    EXPECT_GT(
        ea_score(recover(mirrored).lines.at(0).line, {pi - found.theta, -found.rho}, frame) +
            ea_score(recover(mirrored).lines.at(0).line, {pi - found.theta, found.rho}, frame),
        0.97);
  }
}

TEST(Edges, DoNotDependOnWhichSideIsBright) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{128, 100};
  GrayImage image = test::step(random, frame, {1.2, 14.0});
  const auto bright = recover(image).lines.at(0);
  for (float& value : image.pixels) value = 1.0F - value;
  const auto dark = recover(image).lines.at(0);
  EXPECT_GT(ea_score(bright.line, dark.line, frame), 0.999);
  EXPECT_NEAR(bright.confidence, dark.confidence, 1e-2);
}

TEST(Edges, AreNotTrustedWhereThereIsNoStep) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  int trusting = 0;
  for (int i = 0; i < 20; ++i)
    for (const auto scene :
         {test::white_noise, test::clouds, test::blobs, test::gradient, test::texture}) {
      const auto found = recover(scene(random, {200, 160})).lines;
      if (!found.empty() && found[0].confidence > 0.2) ++trusting;
    }
  EXPECT_LE(trusting, 5);
}

// A drawing without noise: hardly a pixel votes, and all that do lie on edges.
TEST(Edges, FindsTheSidesOfACleanRectangle) {
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{320, 240};
  for (const double turn : {0.0, 0.12, 0.8}) {
    const std::vector<PixelLine> sides{
        {turn, 80.0}, {turn, -80.0}, {turn + pi / 2, 60.0}, {turn + pi / 2, -60.0}};
    GrayImage image(frame, 0.2F);
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column) {
        const double x = frame.x(column);
        const double y = frame.y(row);
        const double inside = std::min(80.0 - std::abs(x * std::cos(turn) + y * std::sin(turn)),
                                       60.0 - std::abs(y * std::cos(turn) - x * std::sin(turn)));
        image.pixels[frame.index(column, row)] =
            static_cast<float>(0.2 + 0.5 * std::clamp(inside + 0.5, 0.0, 1.0));  // anti-aliased
      }
    const auto lines = recover(image, {LinesWanted::kAuto, 0.5}).lines;
    EXPECT_EQ(lines.size(), 4U) << turn;
    for (const PixelLine& side : sides)
      EXPECT_TRUE(std::any_of(
          lines.begin(), lines.end(),
          [&](const RecoveredLine& found) { return ea_score(found.line, side, frame) > 0.995; }))
          << side.theta << ", " << side.rho;
  }
}

// Both sides of a clean band are found, and nothing else: neither what is left of an edge once it
// is erased, nor a line between the two.
TEST(Edges, FindsTheSidesOfACleanBand) {
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{640, 480};
  test::Random random;
  int found_sides = 0;
  constexpr int kBands = 20;
  for (int i = 0; i < kBands; ++i) {
    const int first = random.integer(40, 520);
    const int last = first + random.integer(30, 80);
    GrayImage image(frame, 0.1F);
    for (int row = 0; row < frame.height; ++row)
      for (int column = first; column < last; ++column) image.at(column, row) = 0.9F;
    for (const RecoveredLine& line : recover(image, {LinesWanted::kAuto, 0.5}).lines) {
      const double column = line.line.rho * std::cos(line.line.theta) + frame.half_width();
      const double off =
          std::min(std::abs(column - (first - 0.5)), std::abs(column - (last - 0.5)));
      EXPECT_LT(off, 0.5) << "a band from " << first << " to " << last;
      ++found_sides;
    }
  }
  EXPECT_LE(found_sides, 2 * kBands);
  EXPECT_GE(found_sides, 2 * kBands - 1);
}

TEST(Edges, FollowsASideThatIsPartOfTheLine) {
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{800, 600};
  constexpr double kTurn = 0.4;
  const PixelLine side{kTurn, 135.0};
  GrayImage image(frame, 0.2F);
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column) {
      const double x = frame.x(column);
      const double y = frame.y(row);
      const double u = x * std::cos(kTurn) + y * std::sin(kTurn);
      const double v = y * std::cos(kTurn) - x * std::sin(kTurn);
      const double inside = 135.0 - std::max(std::abs(u), std::abs(v));
      image.at(column, row) = static_cast<float>(0.2 + 0.5 * std::clamp(inside + 0.5, 0.0, 1.0));
    }
  const auto lines = recover(image, {LinesWanted::kAuto, 0.5}).lines;
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const RecoveredLine& found) {
    return ea_score(found.line, side, frame) > 0.998;
  }));
}

// Steps from one grey value to the next are straight, and the outline of a disc nearly so in
// places.
TEST(Edges, OfCleanGradientsAndDiscsAreNone) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{320, 240};
  for (int i = 0; i < 30; ++i) {
    GrayImage gradient(frame, 0.0F);
    GrayImage disc(frame, 0.8F);
    const double across = random.uniform(-0.2, 0.2);
    const double down = random.uniform(0.05, 0.2);
    const double radius = random.uniform(20.0, 110.0);
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column) {
        const double x = frame.x(column) / frame.half_width();
        const double y = frame.y(row) / frame.half_height();
        float& value = gradient.pixels[frame.index(column, row)];
        value = static_cast<float>(std::round(255.0 * (0.5 + across * x + down * y)) / 255.0);
        if (std::hypot(frame.x(column), frame.y(row)) < radius)
          disc.pixels[frame.index(column, row)] = 0.3F;
      }
    for (const GrayImage* image : {&gradient, &disc})
      EXPECT_TRUE(recover(*image, {LinesWanted::kAuto, 0.2}).lines.empty()) << i;
  }
}

TEST(Edges, OfTinyAndFlatImagesAreNone) {
  LineRecoverer recover(load_model("edges"));
  EXPECT_TRUE(recover(GrayImage(30, 20, 0.4F)).lines.empty());
  GrayImage tiny(2, 2);
  tiny.at(1, 0) = 1.0F;
  EXPECT_TRUE(recover(tiny).lines.empty());
}

}  // namespace
}  // namespace vsmax
