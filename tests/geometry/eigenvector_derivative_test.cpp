// SPDX-License-Identifier: Apache-2.0
// The guarded derivative of the leading eigenvector against finite differences, and its bound.
#include <gtest/gtest.h>

#include <cmath>

#include "support/finite_difference.h"
#include "support/matrices.h"
#include "support/random.h"
#include "support/vectors.h"
#include "vsmax/geometry/symmetric_eigen.h"

namespace vsmax {
namespace {

template <class Space>
class EigenvectorDerivative : public ::testing::Test {};

TYPED_TEST_SUITE(EigenvectorDerivative, test::Sizes);

// A matrix whose leading eigenvalue 1 stands over all others by `gap` or more.
template <std::size_t M>
SquareMatrix<M> matrix_with_gap(double gap, test::Random& random) {
  std::array<double, M> values{};
  values[0] = 1.0;
  values[1] = 1.0 - gap;
  for (std::size_t k = 2; k < M; ++k) values[k] = random.uniform(-1.0, values[1]);
  return test::with_eigenvalues<M>(values, test::random_rotation<M>(random));
}

// grad . u(S + h P), with u's sign held to that of u(S).
template <std::size_t M>
double along(const SquareMatrix<M>& s, const SquareMatrix<M>& p, double h,
             const std::array<double, M>& u0, const std::array<double, M>& grad) {
  SquareMatrix<M> moved = s;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < M; ++j) moved[i][j] += h * p[i][j];
  const auto u = symmetric_eigen<M>(moved).leading();
  return dot(u, u0) < 0.0 ? -dot(u, grad) : dot(u, grad);
}

TYPED_TEST(EigenvectorDerivative, AgreesWithFiniteDifferencesWhereTheGapIsLarge) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const double gap : {1.0, 0.5, 0.2, 0.1})
    for (int repeat = 0; repeat < 30; ++repeat) {
      const auto s = matrix_with_gap<M>(gap, random);
      const auto eigen = symmetric_eigen<M>(s);
      const auto grad = random.direction<M>();
      for (const double guard : {0.0, kEigenGuard}) {
        const auto result = leading_eigenvector_backward<M>(eigen, grad, guard);
        const auto p = test::random_symmetric<M>(random);
        double analytic = 0.0;
        for (std::size_t i = 0; i < M; ++i) analytic += dot(result[i], p[i]);
        const double numeric = test::derivative(
            [&](double h) { return along<M>(s, p, h, eigen.leading(), grad); }, 1e-3 * gap);
        // Differences err by (step / gap)^4, the guard by (guard / gap)^2, both of |P| / gap.
        const double guarded = guard / gap * (guard / gap);
        EXPECT_NEAR(analytic, numeric, (1e-9 + guarded) * test::frobenius_norm<M>(p) / gap);
      }
    }
}

TYPED_TEST(EigenvectorDerivative, StaysBoundedAsTheGapCloses) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (const double gap : {1e-3, 1e-4, 1e-5, 1e-8, 1e-12, 1e-16, 0.0})
    for (int repeat = 0; repeat < 30; ++repeat) {
      const auto eigen = symmetric_eigen<M>(matrix_with_gap<M>(gap, random));
      const auto grad = random.direction<M>();
      const auto result = leading_eigenvector_backward<M>(eigen, grad);
      for (const auto& row : result)
        for (const double x : row) ASSERT_TRUE(std::isfinite(x));
      EXPECT_LE(test::frobenius_norm<M>(result), 1.0 / (2.0 * kEigenGuard));
    }
}

TYPED_TEST(EigenvectorDerivative, IsLargestWhereTheGapEqualsTheGuard) {
  constexpr std::size_t M = TypeParam::kSize;
  SymmetricEigen<M> eigen;
  for (std::size_t k = 0; k < M; ++k) {
    eigen.vectors[k][k] = 1.0;
    eigen.values[k] = k == 0 ? 1.0 : (k == 1 ? 1.0 - kEigenGuard : -1.0);
  }
  const auto at_guard = leading_eigenvector_backward<M>(eigen, eigen.vectors[1]);
  EXPECT_NEAR(at_guard[0][1], 0.5 / (2.0 * kEigenGuard), 1e-6 / kEigenGuard);
  for (const double gap : {0.5 * kEigenGuard, 2.0 * kEigenGuard}) {
    eigen.values[1] = 1.0 - gap;
    EXPECT_LT(leading_eigenvector_backward<M>(eigen, eigen.vectors[1])[0][1], at_guard[0][1]);
  }
}

TYPED_TEST(EigenvectorDerivative, VanishesWhereTheLeadingEigenvaluesCoincide) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  const auto eigen = symmetric_eigen<M>(SquareMatrix<M>{});
  const auto result = leading_eigenvector_backward<M>(eigen, random.direction<M>());
  for (const auto& row : result)
    for (const double x : row) EXPECT_EQ(x, 0.0);
}

TYPED_TEST(EigenvectorDerivative, IsExactlySymmetric) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto eigen = symmetric_eigen<M>(test::random_symmetric<M>(random));
    const auto result = leading_eigenvector_backward<M>(eigen, random.direction<M>());
    for (std::size_t i = 0; i < M; ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(result[i][j], result[j][i]);
  }
}

// u has length 1, so the part of the gradient along u moves nothing; and S -> c S moves no vector.
TYPED_TEST(EigenvectorDerivative, IgnoresTheLengthOfTheVectorAndTheScaleOfTheMatrix) {
  constexpr std::size_t M = TypeParam::kSize;
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto s = matrix_with_gap<M>(0.3, random);
    const auto eigen = symmetric_eigen<M>(s);
    const auto lengthwise = leading_eigenvector_backward<M>(eigen, eigen.leading());
    EXPECT_LT(test::frobenius_norm<M>(lengthwise), 1e-14);
    const auto result = leading_eigenvector_backward<M>(eigen, random.direction<M>());
    double scaling = 0.0;
    for (std::size_t i = 0; i < M; ++i) scaling += dot(result[i], s[i]);
    EXPECT_NEAR(scaling, 0.0, 1e-13);
  }
}

}  // namespace
}  // namespace vsmax
