// SPDX-License-Identifier: Apache-2.0
// The laws of the Veronese map on RP^1, RP^2 and RP^3.
#include "vsmax/geometry/veronese.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/matrices.h"
#include "support/points.h"
#include "support/random.h"
#include "support/vectors.h"
#include "vsmax/geometry/symmetric_eigen.h"

namespace vsmax {
namespace {

template <class Space>
class VeroneseLaws : public ::testing::Test {};

TYPED_TEST_SUITE(VeroneseLaws, test::Sizes);

template <std::size_t K>
double squared_distance(const std::array<double, K>& a, const std::array<double, K>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < K; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

TYPED_TEST(VeroneseLaws, IsBlindToTheSign) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<M>(random)) {
    EXPECT_EQ(veronese_from_point(u), veronese_from_point(test::negated(u)));
    EXPECT_EQ(veronese_from_point(v), veronese_from_point(test::negated(v)));
  }
}

TYPED_TEST(VeroneseLaws, SquaredDistanceIsTheSquaredChordalDistance) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<M>(random)) {
    const auto sine = static_cast<double>(test::sine_oracle(u, v));
    const double between = squared_distance(veronese_from_point(u), veronese_from_point(v));
    // Each coordinate is off by an ulp or two of 1, so the distance d is, and d^2 by d times that.
    const double tolerance = 4e-15 * sine + 1e-30;
    EXPECT_NEAR(between, 2.0 * sine * sine, tolerance);
    EXPECT_NEAR(squared_chordal_distance(u, v), 2.0 * sine * sine, tolerance);
  }
}

TYPED_TEST(VeroneseLaws, InnerProductIsTheSquaredCosine) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<M>(random)) {
    const double cosine = dot(u, v);
    EXPECT_NEAR(dot(veronese_from_point(u), veronese_from_point(v)), cosine * cosine, 2e-15);
  }
}

TYPED_TEST(VeroneseLaws, NormIsTheSquaredNormOfAnyVector) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto u = random.direction<M>();
    const double length = std::exp(random.uniform(-20.0, 20.0));
    for (double& x : u) x *= length;
    EXPECT_NEAR(norm(veronese_from_point(u)) / (length * length), 1.0, 1e-14);
  }
}

TYPED_TEST(VeroneseLaws, NormOfASymmetricMatrixIsFrobenius) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto s = test::random_symmetric<M>(random);
    EXPECT_NEAR(norm(veronese_from_symmetric<M>(s)), test::frobenius_norm<M>(s), 1e-14);
  }
}

TYPED_TEST(VeroneseLaws, SymmetricMatrixSurvivesTheRoundTrip) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto s = test::random_symmetric<M>(random);
    const auto back = symmetric_from_veronese<M>(veronese_from_symmetric<M>(s));
    for (std::size_t i = 0; i < M; ++i)
      for (std::size_t j = 0; j < M; ++j) {
        EXPECT_NEAR(back[i][j], s[i][j], 4e-16 * std::abs(s[i][j]));
        EXPECT_EQ(back[i][j], back[j][i]);
      }
  }
}

TYPED_TEST(VeroneseLaws, VectorSurvivesTheRoundTripUpToSign) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const auto& [u, v] : test::point_pairs<M>(random))
    for (const auto& point : {u, v}) {
      const auto eigen = symmetric_eigen<M>(symmetric_from_veronese<M>(veronese_from_point(point)));
      EXPECT_LT(projective_sine(eigen.leading(), point), 1e-15);
      EXPECT_NEAR(eigen.values[0], 1.0, 1e-15);
      for (std::size_t k = 1; k < M; ++k) EXPECT_NEAR(eigen.values[k], 0.0, 1e-15);
    }
}

TEST(Veronese, KeepsThePapersOrder) {
  const double root = std::sqrt(2.0);
  const auto v = veronese_from_point<3>({2.0, 3.0, 5.0});
  const VeroneseVector<3> expected{4.0, 9.0, 25.0, root * 6.0, root * 10.0, root * 15.0};
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_DOUBLE_EQ(v[i], expected[i]);
}

TEST(Veronese, OrdersTheProductsOfQuaternionsByRows) {
  const double root = std::sqrt(2.0);
  const auto v = veronese_from_point<4>({2.0, 3.0, 5.0, 7.0});
  const VeroneseVector<4> expected{4.0,         9.0,         25.0,        49.0,        root * 6.0,
                                   root * 10.0, root * 14.0, root * 15.0, root * 21.0, root * 35.0};
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_DOUBLE_EQ(v[i], expected[i]);
}

TEST(Veronese, ReadsTheUpperTriangleAlone) {
  const SquareMatrix<2> s{{{1.0, 2.0}, {99.0, 3.0}}};
  const auto v = veronese_from_symmetric<2>(s);
  EXPECT_EQ(v[0], 1.0);
  EXPECT_EQ(v[1], 3.0);
  EXPECT_DOUBLE_EQ(v[2], 2.0 * std::sqrt(2.0));
}

}  // namespace
}  // namespace vsmax
