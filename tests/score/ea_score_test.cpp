// SPDX-License-Identifier: Apache-2.0
#include "vsmax/geometry/ea_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/random.h"

namespace vsmax {
namespace {

using std::numbers::pi;

PixelLine random_visible_line(const ImageFrame& frame, test::Random& random) {
  const double theta = random.uniform(0.0, pi);
  return {theta, random.uniform(-0.99, 0.99) * frame.reach(std::cos(theta), std::sin(theta))};
}

TEST(EaScore, OfALineWithItselfIsOne) {
  test::Random random;
  for (const ImageFrame& frame : {ImageFrame{64, 64}, {256, 100}, {2, 2}, {3, 500}})
    for (int repeat = 0; repeat < 100; ++repeat) {
      const PixelLine line = random_visible_line(frame, random);
      EXPECT_EQ(ea_score(line, line, frame), 1.0);
    }
}

TEST(EaScore, IsSymmetricAndBetweenZeroAndOne) {
  test::Random random;
  const ImageFrame frame{120, 80};
  for (int repeat = 0; repeat < 500; ++repeat) {
    const PixelLine a = random_visible_line(frame, random);
    const PixelLine b = random_visible_line(frame, random);
    const double score = ea_score(a, b, frame);
    EXPECT_NEAR(ea_score(b, a, frame), score, 1e-15);
    EXPECT_GE(score, 0.0);
    EXPECT_LE(score, 1.0);
  }
}

TEST(EaScore, DoesNotDependOnTheRepresentatives) {
  test::Random random;
  const ImageFrame frame{120, 80};
  for (int repeat = 0; repeat < 500; ++repeat) {
    const PixelLine a = random_visible_line(frame, random);
    const PixelLine b = random_visible_line(frame, random);
    const double score = ea_score(a, b, frame);
    EXPECT_NEAR(ea_score({a.theta + pi, -a.rho}, b, frame), score, 1e-11);
    EXPECT_NEAR(ea_score(a, {b.theta - pi, -b.rho}, frame), score, 1e-11);
    EXPECT_NEAR(ea_score({a.theta + pi, -a.rho}, a, frame), 1.0, 1e-11);
  }
}

TEST(EaScore, IsContinuousAcrossTheSeam) {
  const ImageFrame frame{256, 256};
  for (const double rho : {-90.0, 0.0, 60.0})
    EXPECT_GT(ea_score({1e-6, rho}, {pi - 1e-6, -rho}, frame), 1.0 - 1e-5);
}

TEST(EaScore, OfPerpendicularLinesIsZero) {
  const ImageFrame frame{101, 101};
  for (const double theta : {0.0, 0.3, pi / 4.0, 1.2})
    EXPECT_NEAR(ea_score({theta, 0.0}, {theta + pi / 2.0, 0.0}, frame), 0.0, 1e-30);
}

TEST(EaScore, OfLinesThroughTheCentreIsTheSquaredAngularAgreement) {
  const ImageFrame frame{101, 101};
  EXPECT_NEAR(ea_score({0.0, 0.0}, {pi / 4.0, 0.0}, frame), 0.25, 1e-12);
  EXPECT_NEAR(ea_score({0.2, 0.0}, {0.2 + pi / 20.0, 0.0}, frame), 0.81, 1e-12);
  EXPECT_NEAR(ea_score({0.05, 0.0}, {pi - 0.05, 0.0}, frame), std::pow(1.0 - 0.2 / pi, 2.0), 1e-12);
}

TEST(EaScore, OfParallelLinesIsTheSquaredPositionalAgreement) {
  const ImageFrame frame{101, 101};
  EXPECT_NEAR(ea_score({0.0, 0.0}, {0.0, 10.0}, frame), 0.81, 1e-12);
  EXPECT_NEAR(ea_score({0.0, -25.0}, {0.0, 25.0}, frame), 0.25, 1e-12);
  EXPECT_NEAR(ea_score({pi / 2.0, 5.0}, {pi / 2.0, 25.0}, frame), 0.64, 1e-12);
}

TEST(EaScore, DividesEachCoordinateByItsOwnSide) {
  const ImageFrame wide{201, 101};
  EXPECT_NEAR(ea_score({0.0, 0.0}, {0.0, 10.0}, wide), 0.95 * 0.95, 1e-12);
  EXPECT_NEAR(ea_score({pi / 2.0, 0.0}, {pi / 2.0, 10.0}, wide), 0.9 * 0.9, 1e-12);
  const ImageFrame tall{101, 201};
  EXPECT_NEAR(ea_score({0.0, 0.0}, {0.0, 10.0}, tall), 0.9 * 0.9, 1e-12);
  EXPECT_NEAR(ea_score({pi / 2.0, 0.0}, {pi / 2.0, 10.0}, tall), 0.95 * 0.95, 1e-12);
}

TEST(EaScore, AddsTheTwoCoordinatesAsPythagorasDoes) {
  // Short lines at 45 degrees cut two corners; their midpoints are known.
  const ImageFrame frame{101, 101};
  const double root = std::sqrt(2.0);
  // x + y = 80 meets the box at (50, 30) and (30, 50): midpoint (40, 40). x + y = 40: (20, 20).
  EXPECT_NEAR(ea_score({pi / 4.0, 80.0 / root}, {pi / 4.0, 40.0 / root}, frame),
              std::pow(1.0 - 0.2 * root, 2.0), 1e-12);
}

TEST(EaScore, MeasuresTheAngleInPixels) {
  const ImageFrame wide{301, 101};
  EXPECT_NEAR(ea_score({0.0, 0.0}, {pi / 4.0, 0.0}, wide), 0.25, 1e-12);
  EXPECT_NEAR(ea_score({pi / 2.0, 0.0}, {pi / 4.0, 0.0}, wide), 0.25, 1e-12);
}

TEST(EaScore, IsZeroWhereMidpointsAreASideApart) {
  const ImageFrame frame{101, 101};
  EXPECT_EQ(ea_score({pi / 4.0, 70.0}, {pi / 4.0, -70.0}, frame), 0.0);
}

TEST(EaScore, IsZeroForALineThatMissesTheImage) {
  const ImageFrame frame{101, 101};
  EXPECT_EQ(ea_score({0.0, 51.0}, {0.0, 49.0}, frame), 0.0);
  EXPECT_EQ(ea_score({0.0, 49.0}, {0.0, 51.0}, frame), 0.0);
  EXPECT_EQ(ea_score({0.0, 51.0}, {0.0, 51.0}, frame), 0.0);
  EXPECT_EQ(ea_score({0.3, std::numeric_limits<double>::infinity()}, {0.3, 0.0}, frame), 0.0);
  EXPECT_EQ(ea_score({std::nan(""), 0.0}, {0.3, 0.0}, frame), 0.0);
}

}  // namespace
}  // namespace vsmax
