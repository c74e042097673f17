// SPDX-License-Identifier: Apache-2.0
// The Jacobi solver against Eigen's, on matrices easy and hard.
#include "vsmax/geometry/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "support/matrices.h"
#include "support/random.h"
#include "support/vectors.h"

namespace vsmax {
namespace {

template <class Space>
class SymmetricEigenLaws : public ::testing::Test {};

TYPED_TEST_SUITE(SymmetricEigenLaws, test::Sizes);

// Everything that must hold for any S, with Eigen as the judge of the eigenvalues.
template <std::size_t M>
void expect_solves(const SquareMatrix<M>& s) {
  const auto result = symmetric_eigen<M>(s);
  const double scale = test::frobenius_norm<M>(s);
  const double tolerance = 1e-14 * scale;

  Eigen::MatrixXd matrix(M, M);  // of any size: one solver to compile
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < M; ++j)
      matrix(static_cast<int>(i), static_cast<int>(j)) = scale > 0.0 ? s[i][j] / scale : 0.0;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> oracle(matrix);
  for (std::size_t k = 0; k < M; ++k)
    EXPECT_NEAR(result.values[k], scale * oracle.eigenvalues()(static_cast<int>(M - 1 - k)),
                tolerance);

  for (std::size_t k = 0; k < M; ++k) {
    const auto& u = result.vectors[k];
    if (k > 0) {
      EXPECT_GE(result.values[k - 1], result.values[k]);
    }
    for (std::size_t i = 0; i < M; ++i)
      EXPECT_NEAR(dot(s[i], u), result.values[k] * u[i], tolerance);  // S u = lambda u
    for (std::size_t l = 0; l < M; ++l)
      EXPECT_NEAR(dot(u, result.vectors[l]), k == l ? 1.0 : 0.0, 1e-14);
    double largest = 0.0;
    for (const double x : u)
      if (std::abs(x) > std::abs(largest)) largest = x;
    EXPECT_GT(largest, 0.0);
  }
  EXPECT_EQ(result.leading(), result.vectors[0]);
  EXPECT_EQ(result.gap(), result.values[0] - result.values[1]);
}

TYPED_TEST(SymmetricEigenLaws, SolvesRandomMatrices) {
  test::Random random;
  for (int repeat = 0; repeat < 300; ++repeat)
    expect_solves(test::random_symmetric<TypeParam::kSize>(random));
}

TYPED_TEST(SymmetricEigenLaws, SolvesMatricesOfEveryScale) {
  test::Random random;
  for (const double scale : {1e-150, 1e-100, 1e-30, 1e30, 1e100, 1e150})
    for (int repeat = 0; repeat < 20; ++repeat)
      expect_solves(test::random_symmetric<TypeParam::kSize>(random, scale));
}

TYPED_TEST(SymmetricEigenLaws, SortsDiagonalMatricesExactly) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    SquareMatrix<M> s{};
    for (std::size_t i = 0; i < M; ++i) s[i][i] = random.integer(-3, 3);
    expect_solves(s);
    const auto result = symmetric_eigen<M>(s);
    for (std::size_t k = 0; k < M; ++k)
      for (std::size_t i = 0; i < M; ++i)
        EXPECT_TRUE(result.vectors[k][i] == 0.0 || result.vectors[k][i] == 1.0);
  }
}

TYPED_TEST(SymmetricEigenLaws, SolvesRepeatedEigenvalues) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const double last : {2.0, 1.0, 0.0, -2.0, 2.0 - 1e-12, 2.0 + 1e-15})
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::array<double, M> values;
      values.fill(2.0);
      values[M - 1] = last;
      expect_solves(test::with_eigenvalues<M>(values, test::random_rotation<M>(random)));
    }
}

TYPED_TEST(SymmetricEigenLaws, SolvesTheZeroMatrixAndTheIdentity) {
  constexpr std::size_t M = TypeParam::kSize;
  SquareMatrix<M> s{};
  expect_solves(s);
  EXPECT_EQ(symmetric_eigen<M>(s).gap(), 0.0);
  for (std::size_t i = 0; i < M; ++i) s[i][i] = 1.0;
  expect_solves(s);
}

TYPED_TEST(SymmetricEigenLaws, SolvesRankOne) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::array<double, M> values{};
    values[0] = 1.0;
    expect_solves(test::with_eigenvalues<M>(values, test::random_rotation<M>(random)));
  }
}

TYPED_TEST(SymmetricEigenLaws, SolvesDenormalCouplings) {
  constexpr std::size_t M = TypeParam::kSize;
  for (const double tiny : {4.9e-324, 1e-310, 1e-200, 1e-20})
    for (const double step : {0.0, 1e-18, 1.0}) {
      SquareMatrix<M> s{};
      for (std::size_t i = 0; i < M; ++i)
        for (std::size_t j = 0; j < M; ++j)
          s[i][j] = i == j ? 1.0 + static_cast<double>(i) * step : tiny;
      expect_solves(s);
    }
}

TYPED_TEST(SymmetricEigenLaws, TerminatesOnNan) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = i; j < M; ++j) {
      auto s = test::random_symmetric<M>(random);
      s[i][j] = s[j][i] = std::numeric_limits<double>::quiet_NaN();
      const auto result = symmetric_eigen<M>(s);
      for (const double value : result.values) EXPECT_TRUE(std::isnan(value));
      for (const auto& vector : result.vectors)
        for (const double value : vector) EXPECT_TRUE(std::isnan(value)) << "NaN must not vanish";
    }
}

// Where nothing needs to be rotated, too.
TYPED_TEST(SymmetricEigenLaws, KeepsNanOnADiagonal) {
  constexpr std::size_t M = TypeParam::kSize;
  for (std::size_t k = 0; k < M; ++k) {
    SquareMatrix<M> s{};
    s[k][k] = std::numeric_limits<double>::quiet_NaN();
    const auto result = symmetric_eigen<M>(s);
    for (const double value : result.leading()) EXPECT_TRUE(std::isnan(value));
  }
}

TYPED_TEST(SymmetricEigenLaws, TerminatesWhereEverythingIsNanOrInfinite) {
  constexpr std::size_t M = TypeParam::kSize;
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    SquareMatrix<M> s;
    for (auto& row : s) row.fill(value);
    EXPECT_FALSE(std::isfinite(symmetric_eigen<M>(s).gap()));
  }
}

// Tied eigenvalues take their vectors in the order of the axes, each once.
TYPED_TEST(SymmetricEigenLaws, KeepsTheOrderOfTheAxesInATie) {
  constexpr std::size_t M = TypeParam::kSize;
  SquareMatrix<M> s{};
  for (std::size_t i = 0; i < M; ++i) s[i][i] = 0.25;
  const auto result = symmetric_eigen<M>(s);
  for (std::size_t k = 0; k < M; ++k)
    for (std::size_t i = 0; i < M; ++i) EXPECT_EQ(result.vectors[k][i], i == k ? 1.0 : 0.0);
  EXPECT_EQ(result.gap(), 0.0);
}

}  // namespace
}  // namespace vsmax
