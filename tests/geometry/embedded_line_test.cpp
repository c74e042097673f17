// SPDX-License-Identifier: Apache-2.0
// From a line to its embedding and back.
#include "vsmax/geometry/embedded_line.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/random.h"
#include "support/vectors.h"

namespace vsmax {
namespace {

using std::numbers::pi;

LineEmbedding mean_of(const LineEmbedding& a, const LineEmbedding& b) {
  LineEmbedding mean{};
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = 0.5 * (a[k] + b[k]);
  return mean;
}

void expect_same_line(UnitLine a, UnitLine b, double tolerance) {
  EXPECT_LT(projective_sine(vector_from_line(a), vector_from_line(b)), tolerance)
      << a.theta << ", " << a.rho << " and " << b.theta << ", " << b.rho;
}

TEST(EmbeddedLine, OfOneLineIsThatLineWithGapOne) {
  test::Random random;
  for (int repeat = 0; repeat < 500; ++repeat) {
    const UnitLine line{random.uniform(-10.0, 10.0), random.uniform(-2.0, 2.0)};
    const auto [back, gap] = line_from_embedding(embedding_from_line(line));
    const UnitLine expected = canonical(line);
    EXPECT_NEAR(gap, 1.0, 1e-14);
    EXPECT_GE(back.theta, 0.0);
    EXPECT_LT(back.theta, pi);
    EXPECT_NEAR(std::abs(back.rho), std::abs(expected.rho), 1e-13);
    expect_same_line(back, expected, 1e-14);
  }
}

TEST(EmbeddedLine, IsOneForBothRepresentatives) {
  test::Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double theta = random.uniform(0.0, pi);
    const double rho = random.uniform(-1.0, 1.0);
    const auto a = embedding_from_line({theta, rho});
    const auto b = embedding_from_line({theta + pi, -rho});
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-15);
  }
}

TEST(EmbeddedLine, HasUnitNormAndUnitTrace) {
  test::Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto v = embedding_from_line({random.uniform(0.0, pi), random.uniform(-5.0, 5.0)});
    EXPECT_NEAR(norm(v), 1.0, 1e-15);
    EXPECT_NEAR(v[0] + v[1] + v[2], 1.0, 1e-15);
  }
}

// The mean of two lines at the projective angle alpha has eigenvalues (1 +- cos alpha) / 2 and 0.
TEST(EmbeddedLine, OfTwoLinesLiesHalfwayWithTheCosineAsGap) {
  test::Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const UnitLine a{random.uniform(0.0, pi), random.uniform(-1.0, 1.0)};
    const UnitLine b{random.uniform(0.0, pi), random.uniform(-1.0, 1.0)};
    const auto u = vector_from_line(a);
    const auto v = vector_from_line(b);
    const double alpha = projective_angle(u, v);
    if (alpha > 1.5) continue;  // no line is in the middle of orthogonal ones
    const auto [line, gap] =
        line_from_embedding(mean_of(embedding_from_line(a), embedding_from_line(b)));
    EXPECT_NEAR(gap, std::cos(alpha), 1e-14);
    EXPECT_NEAR(projective_angle(vector_from_line(line), u), alpha / 2.0, 1e-12);
    EXPECT_NEAR(projective_angle(vector_from_line(line), v), alpha / 2.0, 1e-12);
  }
}

TEST(EmbeddedLine, OfOrthogonalLinesHasNoGap) {
  const auto mean = mean_of(embedding_from_line({0.0, 0.0}), embedding_from_line({pi / 2.0, 0.0}));
  EXPECT_NEAR(line_from_embedding(mean).gap, 0.0, 1e-15);
}

TEST(EmbeddedLine, PropagatesNan) {
  for (std::size_t k = 0; k < LineEmbedding{}.size(); ++k)
    for (const UnitLine line : {UnitLine{0.4, 0.2}, UnitLine{0.0, 0.0}}) {
      LineEmbedding embedding = embedding_from_line(line);
      embedding[k] = std::numeric_limits<double>::quiet_NaN();
      const auto [found, gap] = line_from_embedding(embedding);
      EXPECT_TRUE(std::isnan(found.theta) && std::isnan(found.rho) && std::isnan(gap));
    }
}

}  // namespace
}  // namespace vsmax
