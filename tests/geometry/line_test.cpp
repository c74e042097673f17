// SPDX-License-Identifier: Apache-2.0
// Polar coordinates and homogeneous vectors of a line; (theta, rho) and (theta + pi, -rho) are one.
#include "vsmax/geometry/line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/lines.h"
#include "support/random.h"
#include "support/vectors.h"
#include "vsmax/geometry/veronese.h"

namespace vsmax {
namespace {

using std::numbers::pi;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Angles all over [-10, 10], with all multiples of pi/2 and the numbers next to them.
std::vector<double> many_angles() {
  std::vector<double> angles;
  for (int i = -1000; i <= 1000; ++i) angles.push_back(0.01 * i);
  for (int k = -6; k <= 6; ++k)
    for (const double multiple : {k * pi, (k + 0.5) * pi})
      for (const double ulps : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}) {
        double angle = multiple;
        for (int i = 0; i < std::abs(ulps); ++i) angle = std::nextafter(angle, ulps * 100.0);
        angles.push_back(angle);
      }
  for (const double tiny : {1e-9, 1e-15, 1e-16, 1e-17, 1e-20, 1e-300, 4.9e-324}) {
    angles.push_back(tiny);
    angles.push_back(-tiny);
    angles.push_back(pi - tiny);
  }
  return angles;
}

TEST(Canonical, LiesInTheHalfCircleAndIsTheSameLine) {
  for (const double theta : many_angles())
    for (const double rho : {0.0, 0.7, -0.3, -1.0}) {
      const UnitLine line = canonical(UnitLine{theta, rho});
      EXPECT_GE(line.theta, 0.0) << theta;
      EXPECT_LT(line.theta, pi) << theta;
      EXPECT_EQ(std::abs(line.rho), std::abs(rho)) << theta;
      EXPECT_LT(test::chordal_distance(line, {theta, rho}), 1e-14) << theta << ", " << rho;
    }
}

TEST(Canonical, LeavesCanonicalLinesAlone) {
  for (const double theta : many_angles()) {
    if (theta < 0.0 || theta >= pi) continue;
    const UnitLine line = canonical(UnitLine{theta, -0.25});
    EXPECT_EQ(line.theta, theta);
    EXPECT_EQ(line.rho, -0.25);
  }
  const double below = std::nextafter(pi, 0.0);
  EXPECT_EQ(canonical(UnitLine{below, 0.5}).theta, below);
  EXPECT_EQ(canonical(UnitLine{below, 0.5}).rho, 0.5);
}

TEST(Canonical, IsIdempotent) {
  for (const double theta : many_angles()) {
    const UnitLine once = canonical(UnitLine{theta, 0.6});
    const UnitLine twice = canonical(once);
    EXPECT_EQ(twice.theta, once.theta);
    EXPECT_EQ(twice.rho, once.rho);
  }
}

TEST(Canonical, FlipsRhoOncePerHalfTurn) {
  for (int k = -5; k <= 5; ++k) {
    const UnitLine line = canonical(UnitLine{1.0 + k * pi, 3.0});
    EXPECT_NEAR(line.theta, 1.0, 1e-14);
    EXPECT_EQ(line.rho, k % 2 == 0 ? 3.0 : -3.0);
  }
  EXPECT_EQ(canonical(UnitLine{pi, 3.0}).theta, 0.0);
  EXPECT_EQ(canonical(UnitLine{pi, 3.0}).rho, -3.0);
  EXPECT_EQ(canonical(UnitLine{-pi, 3.0}).theta, 0.0);
  EXPECT_EQ(canonical(UnitLine{-pi, 3.0}).rho, -3.0);
  EXPECT_EQ(canonical(UnitLine{2.0 * pi, 3.0}).rho, 3.0);
}

TEST(LineVector, IsAUnitVectorThatAnnihilatesThePointsOfTheLine) {
  test::Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const UnitLine line{random.uniform(-10.0, 10.0), random.uniform(-1.0, 1.0)};
    const LineVector l = vector_from_line(line);
    EXPECT_NEAR(norm(l), 1.0, 1e-15);
    const double s = random.uniform(-2.0, 2.0);
    const double x = line.rho * std::cos(line.theta) - s * std::sin(line.theta);
    const double y = line.rho * std::sin(line.theta) + s * std::cos(line.theta);
    EXPECT_NEAR(l[0] * x + l[1] * y + l[2], 0.0, 1e-15);
  }
}

TEST(LineVector, SurvivesTheRoundTripThroughPolarCoordinates) {
  test::Random random;
  for (const double reach : {1e-6, 1.0, 1e3, 1e9})
    for (int repeat = 0; repeat < 100; ++repeat) {
      const UnitLine line{random.uniform(0.0, pi), random.uniform(-reach, reach)};
      const LineVector l = vector_from_line(line);
      EXPECT_LT(projective_sine(vector_from_line(line_from_vector(l)), l), 1e-15);
    }
}

TEST(UnitLine, SurvivesTheRoundTripThroughItsVector) {
  test::Random random;
  for (int repeat = 0; repeat < 500; ++repeat) {
    const UnitLine line{random.uniform(0.0, pi), random.uniform(-1.5, 1.5)};
    LineVector l = vector_from_line(line);
    if (repeat % 2 == 1)
      for (double& x : l) x = -x;  // -l is the same line
    const UnitLine back = line_from_vector(l);
    EXPECT_NEAR(back.theta, line.theta, 1e-15);
    EXPECT_NEAR(back.rho, line.rho, 1e-15);
  }
}

TEST(UnitLine, FromAVectorIsAlwaysCanonical) {
  for (const double theta : many_angles())
    for (const double sign : {1.0, -1.0}) {
      LineVector l = vector_from_line({theta, 0.4});
      for (double& x : l) x *= sign;
      const UnitLine back = line_from_vector(l);
      EXPECT_GE(back.theta, 0.0);
      EXPECT_LT(back.theta, pi);
      EXPECT_LT(test::chordal_distance(back, {theta, 0.4}), 1e-14) << theta;
    }
}

TEST(Seam, GluesThetaPlusPiToMinusRho) {
  for (const double theta : many_angles()) {
    const auto a = veronese_from_point(vector_from_line({theta, 0.35}));
    const auto b = veronese_from_point(vector_from_line({theta + pi, -0.35}));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 4e-15) << theta;
  }
}

TEST(Seam, IsContinuous) {
  for (const double rho : {-1.0, -0.2, 0.0, 0.5, 0.9})
    for (const double step : {1e-3, 1e-6, 1e-9, 1e-12}) {
      // Over the seam the normal turns by 2 steps; the chord is sqrt(2) times the sine.
      const double expected = std::sqrt(2.0) * 2.0 * step / std::hypot(1.0, rho);
      EXPECT_NEAR(test::chordal_distance({step, rho}, {pi - step, -rho}), expected,
                  1e-3 * expected + 1e-15);
      if (rho != 0.0) {  // without the flip of rho the two are far apart
        EXPECT_GT(test::chordal_distance({step, rho}, {pi - step, rho}), 0.1);
      }
    }
}

constexpr ImageFrame kFrame{100, 100};

PixelLine in_pixels(const LineVector& vector) {
  return pixel_from_unit(line_from_vector(vector), kFrame);
}

TEST(LineAtInfinity, HasInfiniteRho) {
  for (const double sign : {1.0, -1.0}) {
    EXPECT_TRUE(std::isinf(line_from_vector({0.0, 0.0, sign}).rho));
    EXPECT_FALSE(visible_segment(in_pixels({0.0, 0.0, sign}), kFrame));
  }
}

TEST(LineAtInfinity, HasTheVectorOfTheThirdAxis) {
  for (const double rho : {kInfinity, -kInfinity})
    for (const double theta : {0.0, 1.0}) {
      const LineVector l = vector_from_line({theta, rho});
      EXPECT_EQ(std::abs(l[2]), 1.0);
      EXPECT_EQ(l[0], 0.0);
      EXPECT_EQ(l[1], 0.0);
    }
}

TEST(LineAtInfinity, IsApproachedWithoutOverflow) {
  for (const double rho : {1e8, 1e100, 1e200, 1e300}) {
    const LineVector l = vector_from_line({0.5, rho});
    EXPECT_NEAR(norm(l), 1.0, 1e-15);
    EXPECT_LT(projective_sine(l, LineVector{0.0, 0.0, 1.0}), 2.0 / rho + 1e-15);
  }
  EXPECT_FALSE(visible_segment(in_pixels({4.9e-324, 0.0, 1.0}), kFrame));
}

TEST(AngleBetween, IsTheAcuteAngleOfTheDirections) {
  test::Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double theta = random.uniform(-10.0, 10.0);
    const double turn = random.uniform(0.0, pi / 2.0);
    for (const double other : {theta + turn, theta - turn, theta + turn + pi}) {
      EXPECT_NEAR(angle_between(theta, other), turn, 1e-14);
      EXPECT_NEAR(angle_between(other, theta), turn, 1e-14);
    }
  }
  EXPECT_NEAR(angle_between(1.0, 1.0 + 1e-9) / 1e-9, 1.0, 1e-6);
}

TEST(PixelLine, SurvivesTheRoundTripThroughUnitsOfD) {
  test::Random random;
  for (const ImageFrame& frame : {ImageFrame{256, 256}, {2, 2}, {301, 7}, {3, 1000}})
    for (int repeat = 0; repeat < 50; ++repeat) {
      const double reach = frame.half_diagonal();
      const PixelLine line{random.uniform(-10.0, 10.0), random.uniform(-reach, reach)};
      const UnitLine unit = unit_from_pixel(line, frame);
      EXPECT_EQ(unit.theta, line.theta);
      EXPECT_LE(std::abs(unit.rho), 1.0);
      const PixelLine back = pixel_from_unit(unit, frame);
      EXPECT_EQ(back.theta, line.theta);
      EXPECT_NEAR(back.rho, line.rho, 2e-16 * reach);
    }
}

// Changing the unit does not change which of the two representatives is canonical.
TEST(PixelLine, IsCanonicalExactlyWhereItsUnitLineIs) {
  const ImageFrame frame{61, 91};
  for (const double theta : many_angles())
    for (const double rho : {-20.0, 0.0, 3.5}) {
      const PixelLine line{theta, rho};
      const UnitLine expected = unit_from_pixel(canonical(line), frame);
      const UnitLine found = canonical(unit_from_pixel(line, frame));
      EXPECT_EQ(found.theta, expected.theta);
      EXPECT_EQ(found.rho, expected.rho);
    }
}

}  // namespace
}  // namespace vsmax
