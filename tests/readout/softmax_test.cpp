// SPDX-License-Identifier: Apache-2.0
// Laws of the softmax (Eq. 15) in the probabilities that the readout writes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/random.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

// Of as many logits as the shape has cells.
std::vector<float> softmax_of(CellShape shape, std::vector<float> memory,
                              double temperature = 1.0) {
  const Cells<float> cells(memory.data(), shape);
  VeroneseSoftArgmax(shape).read(cells, temperature, cells);
  return memory;
}

constexpr CellShape kThree{1, 3};

TEST(Softmax, SumsToOne) {
  test::Random random;
  for (const double deviation : {1e-6, 1.0, 30.0, 1e4})
    for (const double temperature : {0.01, 1.0, 50.0})
      for (const CellShape& shape : {kThree, CellShape{2, 5}, {127, 127}}) {
        const auto p =
            softmax_of(shape, random.normals<float>(shape.count(), 0.0, deviation), temperature);
        EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-6);
      }
}

TEST(Softmax, IsTheFormula) {
  const auto p = softmax_of(kThree, {0.0F, 1.0F, -2.0F}, 0.5);
  const double sum = 1.0 + std::exp(2.0) + std::exp(-4.0);
  EXPECT_NEAR(p[0], 1.0 / sum, 1e-7);
  EXPECT_NEAR(p[1], std::exp(2.0) / sum, 1e-7);
  EXPECT_NEAR(p[2], std::exp(-4.0) / sum, 1e-8);
}

TEST(Softmax, IgnoresAConstantAddedToAllLogits) {
  test::Random random;
  const CellShape shape{20, 25};
  const auto logits = random.integers<float>(shape.count(), -20, 20);
  const auto p = softmax_of(shape, logits, 0.7);
  for (const float shift : {-1e6F, -3.0F, 1e3F, 8e6F}) {
    auto shifted = logits;
    for (float& x : shifted) x += shift;  // exact on integers
    EXPECT_EQ(softmax_of(shape, shifted, 0.7), p);
  }
}

TEST(Softmax, SurvivesExtremeLogits) {
  const float huge = std::numeric_limits<float>::max();
  EXPECT_EQ(softmax_of(kThree, {1e30F, -1e30F, 1e30F}), (std::vector<float>{0.5F, 0.0F, 0.5F}));
  EXPECT_EQ(softmax_of(kThree, {huge, -huge, 0.0F}), (std::vector<float>{1.0F, 0.0F, 0.0F}));
  EXPECT_EQ(softmax_of(kThree, {-1e30F, -huge, -1e30F}), (std::vector<float>{0.5F, 0.0F, 0.5F}));
}

TEST(Softmax, BecomesTheArgmaxAsTheTemperatureFalls) {
  for (const double temperature : {1e-5, 1e-10, 1e-300, 5e-324})
    EXPECT_EQ(softmax_of(kThree, {0.1F, 0.7F, 0.69F}, temperature),
              (std::vector<float>{0.0F, 1.0F, 0.0F}))
        << temperature;
}

TEST(Softmax, BecomesUniformAsTheTemperatureRises) {
  for (const double temperature : {1e12, 1e300, std::numeric_limits<double>::infinity()})
    for (const float p : softmax_of(kThree, {0.1F, 70.0F, -50.0F}, temperature))
      EXPECT_NEAR(p, 1.0F / 3.0F, 1e-6F);
}

}  // namespace
}  // namespace vsmax
