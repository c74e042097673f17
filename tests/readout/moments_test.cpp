// SPDX-License-Identifier: Apache-2.0
// The factored embedding of a row of cells (Eq. 18) against the embedding of each cell.
#include "vsmax/readout/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/random.h"

namespace vsmax {
namespace {

using std::numbers::pi;

TEST(EmbeddingWeight, IsTheInverseSquaredNormOfTheLinesVector) {
  test::Random random;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const UnitLine line{random.uniform(0.0, pi), random.uniform(-3.0, 3.0)};
    const LineVector l = vector_from_line(line);
    EXPECT_NEAR(embedding_weight(line.rho), l[0] * l[0] + l[1] * l[1], 1e-15);
  }
}

TEST(RowMoments, SumToTheEmbeddingsOfTheCells) {
  test::Random random;
  LineEmbedding found{};
  LineEmbedding expected{};
  double mass = 0.0;
  for (int row = 0; row < 20; ++row) {  // rows add up
    const double theta = random.uniform(-pi, 2.0 * pi);
    RowMoments moments;
    for (int cell = 0; cell < 15; ++cell) {
      const double p = random.uniform();
      const double rho = random.uniform(-1.0, 1.0);
      moments.add(p, rho, embedding_weight(rho));
      const LineEmbedding v = embedding_from_line({theta, rho});
      for (std::size_t k = 0; k < v.size(); ++k) expected[k] += p * v[k];
      mass += p;
    }
    moments.add_to(found, std::cos(theta), std::sin(theta));
    mass -= moments.mass;
  }
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
  EXPECT_NEAR(mass, 0.0, 1e-12);
}

TEST(RowMoments, OfNoCellAddNothing) {
  LineEmbedding mean{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const LineEmbedding before = mean;
  RowMoments().add_to(mean, 0.6, 0.8);
  EXPECT_EQ(mean, before);
}

TEST(RowGradient, IsTheProductWithTheCellsEmbedding) {
  test::Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto grad = random.direction<6>();
    const double theta = random.uniform(-pi, 2.0 * pi);
    const RowGradient along(grad, std::cos(theta), std::sin(theta));
    for (const double rho : {-1.0, -0.3, 0.0, 0.8, random.uniform(-2.0, 2.0)})
      EXPECT_NEAR(along.at(rho, embedding_weight(rho)),
                  dot(grad, embedding_from_line({theta, rho})), 1e-14);
  }
}

// The gradient is the derivative of the moments: adding mass dp to a cell moves grad . mean by it.
TEST(RowGradient, IsTheDerivativeOfTheMoments) {
  test::Random random;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto grad = random.direction<6>();
    const double theta = random.uniform(0.0, pi);
    const double rho = random.uniform(-1.0, 1.0);
    RowMoments unit;
    unit.add(1.0, rho, embedding_weight(rho));
    LineEmbedding step{};
    unit.add_to(step, std::cos(theta), std::sin(theta));
    const RowGradient along(grad, std::cos(theta), std::sin(theta));
    EXPECT_NEAR(along.at(rho, embedding_weight(rho)), dot(grad, step), 1e-14);
  }
}

}  // namespace
}  // namespace vsmax
