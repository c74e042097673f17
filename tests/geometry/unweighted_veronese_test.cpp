// SPDX-License-Identifier: Apache-2.0
// The loss of the embedding without the weights W (Eq. 57). The paper's appendix says that it has
// the same minimiser, which is true, and that it is monotone in the angle, which is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/points.h"
#include "support/random.h"
#include "vsmax/geometry/line.h"
#include "vsmax/geometry/projective.h"
#include "vsmax/geometry/veronese.h"

namespace vsmax {
namespace {

using std::numbers::pi;

// The sum over i <= j of (u_i u_j - v_i v_j)^2, with every product once.
double unweighted_loss(const LineVector& u, const LineVector& v) {
  double sum = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::size_t j = i; j < u.size(); ++j) {
      const double difference = u[i] * u[j] - v[i] * v[j];
      sum += difference * difference;
    }
  return sum;
}

LineVector central(double degrees) { return vector_from_line(UnitLine{degrees * pi / 180.0, 0.0}); }

double central_loss(double theta, double turn) {
  return unweighted_loss(central(theta), central(theta + turn));
}

// A line that meets the image, as a vector.
LineVector random_line(test::Random& random) {
  while (true) {
    const UnitLine line{random.uniform(0.0, pi), random.uniform(-1.0, 1.0)};
    const double reach = std::abs(std::cos(line.theta)) + std::abs(std::sin(line.theta));
    if (std::abs(line.rho) * std::numbers::sqrt2 < reach) return vector_from_line(line);
  }
}

TEST(UnweightedVeronese, IsNotMonotoneInTheAngle) {
  EXPECT_NEAR(central_loss(22.5, 75.0), 1.6328, 1e-4);
  EXPECT_NEAR(central_loss(22.5, 90.0), 1.5, 1e-12);
}

// sin^2 t (1 + sin^2(2 theta + t)), whose derivative is sin t (3 cos t - cos(4 theta + 3 t)).
TEST(UnweightedVeronese, OfLinesThroughTheCentreIsKnownInClosedForm) {
  for (double theta = 0.0; theta < 180.0; theta += 7.5)
    for (double turn = -90.0; turn <= 90.0; turn += 7.5) {
      const double t = turn * pi / 180.0;
      const double s = std::sin(2.0 * theta * pi / 180.0 + t);
      EXPECT_NEAR(central_loss(theta, turn), std::sin(t) * std::sin(t) * (1.0 + s * s), 1e-14);
    }
}

TEST(UnweightedVeronese, OfLinesThroughTheCentreRisesThroughoutOnlyAtMultiplesOf45Degrees) {
  for (int theta = 0; theta < 180; theta += 5) {
    bool rises = true;
    for (const double sign : {-1.0, 1.0})
      for (double turn = 0.5; turn <= 90.0; turn += 0.5)
        rises = rises &&
                central_loss(theta, sign * turn) > central_loss(theta, sign * (turn - 0.5)) - 1e-12;
    EXPECT_EQ(rises, theta % 45 == 0) << theta;
  }
}

TEST(UnweightedVeronese, LiesBetweenHalfTheSquaredChordalDistanceAndAllOfIt) {
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<3>(random)) {
    const double chordal = squared_chordal_distance(u, v);
    EXPECT_GE(unweighted_loss(u, v), 0.5 * chordal - 1e-14);
    EXPECT_LE(unweighted_loss(u, v), chordal + 1e-14);
  }
}

TEST(UnweightedVeronese, RisesUpToTheAngleWhoseCosineIsAThird) {
  const double limit = std::acos(1.0 / 3.0);
  test::Random random;
  double earliest_fall = pi / 2.0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const LineVector u = random_line(random);
    const LineVector opposite = test::turned(u, pi / 2.0, random);
    double before = 0.0;
    for (double angle = 0.005; angle < pi / 2.0; angle += 0.005) {
      LineVector v{};
      for (std::size_t i = 0; i < v.size(); ++i)
        v[i] = std::cos(angle) * u[i] + std::sin(angle) * opposite[i];
      const double loss = unweighted_loss(u, v);
      if (loss < before) earliest_fall = std::min(earliest_fall, angle);
      before = loss;
    }
  }
  EXPECT_GT(earliest_fall, limit);
  EXPECT_LT(earliest_fall, limit + 0.05);
}

TEST(UnweightedVeronese, RanksOneOfNinePairsAgainstTheirAngles) {
  test::Random random;
  constexpr int kTriples = 100000;
  int against = 0;
  for (int repeat = 0; repeat < kTriples; ++repeat) {
    const LineVector u = random_line(random);
    const LineVector v = random_line(random);
    const LineVector w = random_line(random);
    const bool nearer = squared_chordal_distance(u, v) < squared_chordal_distance(u, w);
    against += nearer != (unweighted_loss(u, v) < unweighted_loss(u, w)) ? 1 : 0;
  }
  EXPECT_NEAR(against / static_cast<double>(kTriples), 0.11, 0.005);
}

}  // namespace
}  // namespace vsmax
