// SPDX-License-Identifier: Apache-2.0
// Distances between projective points: a metric, and one that keeps its digits at tiny angles.
#include "vsmax/geometry/projective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/points.h"
#include "support/random.h"
#include "support/vectors.h"

namespace vsmax {
namespace {

template <class Space>
class ProjectiveLaws : public ::testing::Test {};

TYPED_TEST_SUITE(ProjectiveLaws, test::Sizes);

TYPED_TEST(ProjectiveLaws, SineKeepsItsDigitsAtTinyAngles) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const double angle : {1e-3, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12})
    for (int repeat = 0; repeat < 100; ++repeat) {
      const auto u = random.direction<M>();
      auto v = test::turned(u, angle, random);
      if (repeat % 2 == 1) v = test::negated(v);
      const auto expected = static_cast<double>(test::sine_oracle(u, v));
      // The lengths of u and v are off by an ulp each, which adds at a right angle to u - v.
      const double ulps = 4e-16 / angle;
      EXPECT_NEAR(projective_sine(u, v) / expected, 1.0, 1e-14 + ulps * ulps) << angle;
      EXPECT_NEAR(projective_angle(u, v) / std::asin(expected), 1.0, 1e-14 + ulps * ulps) << angle;
    }
}

TYPED_TEST(ProjectiveLaws, AngleAgreesWithTheOracleEverywhere) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<M>(random)) {
    const long double sine = test::sine_oracle(u, v);
    const long double cosine = std::abs(static_cast<long double>(dot(u, v)));
    EXPECT_NEAR(projective_angle(u, v), static_cast<double>(std::atan2(sine, cosine)), 1e-15);
  }
}

TYPED_TEST(ProjectiveLaws, DistanceIsSymmetricAndBlindToSigns) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<M>(random)) {
    const double sine = projective_sine(u, v);
    EXPECT_EQ(projective_sine(v, u), sine);
    if (dot(u, v) != 0.0) {  // orthogonal points have two shortest ways
      EXPECT_EQ(projective_sine(test::negated(u), v), sine);
      EXPECT_EQ(projective_sine(u, test::negated(v)), sine);
    }
    EXPECT_GE(sine, 0.0);
    EXPECT_LE(sine, 1.0 + 4e-16);
    EXPECT_LE(projective_angle(u, v), std::numbers::pi / 2.0);
  }
}

TYPED_TEST(ProjectiveLaws, EqualPointsHaveNoDistance) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto u = random.direction<M>();
    EXPECT_EQ(projective_angle(u, u), 0.0);
    EXPECT_EQ(projective_angle(u, test::negated(u)), 0.0);
    EXPECT_EQ(squared_chordal_distance(u, test::negated(u)), 0.0);
  }
}

TYPED_TEST(ProjectiveLaws, AxesAreOrthogonal) {
  constexpr std::size_t M = TypeParam::kSize;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_DOUBLE_EQ(projective_angle(test::axis<M>(i), test::axis<M>(j)),
                       std::numbers::pi / 2.0);
      EXPECT_DOUBLE_EQ(squared_chordal_distance(test::axis<M>(i), test::axis<M>(j)), 2.0);
    }
}

TYPED_TEST(ProjectiveLaws, ObeysTheTriangleInequality) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const auto a = random.direction<M>();
    const auto b = repeat % 2 == 0 ? random.direction<M>() : test::turned(a, 1e-7, random);
    const auto c = repeat % 3 == 0 ? random.direction<M>() : test::turned(b, 1e-5, random);
    EXPECT_LE(projective_angle(a, c), projective_angle(a, b) + projective_angle(b, c) + 1e-15);
    EXPECT_LE(projective_sine(a, c), projective_sine(a, b) + projective_sine(b, c) + 1e-15);
  }
}

TYPED_TEST(ProjectiveLaws, NormalizedVectorsHaveLengthOne) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto u = random.direction<M>();
    const double length = std::exp(random.uniform(-100.0, 100.0));
    for (double& x : u) x *= length;
    EXPECT_NEAR(norm(normalized(u)), 1.0, 4e-16);
  }
}

}  // namespace
}  // namespace vsmax
