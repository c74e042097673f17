// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/error_message.h"
#include "support/random.h"

namespace vsmax {
namespace {

template <class Value>
std::vector<Value> softmax_of(const std::vector<Value>& logits, double temperature = 1.0) {
  std::vector<Value> result(logits.size());
  softmax(logits.data(), logits.size(), temperature, result.data());
  return result;
}

template <class Value>
double sum_of(const std::vector<Value>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Softmax, SumsToOne) {
  test::Random random;
  for (const double deviation : {1e-6, 1.0, 30.0, 1e4})
    for (const double temperature : {0.01, 1.0, 50.0})
      for (const std::size_t count : {1UL, 2UL, 16129UL}) {
        EXPECT_NEAR(sum_of(softmax_of(random.normals<double>(count, 0.0, deviation), temperature)),
                    1.0, 1e-13);
        EXPECT_NEAR(sum_of(softmax_of(random.normals<float>(count, 0.0, deviation), temperature)),
                    1.0, 1e-6);
      }
}

TEST(Softmax, IsTheFormula) {
  const std::vector<double> logits{0.0, 1.0, -2.0};
  const auto p = softmax_of(logits, 0.5);
  const double sum = 1.0 + std::exp(2.0) + std::exp(-4.0);
  EXPECT_NEAR(p[0], 1.0 / sum, 1e-15);
  EXPECT_NEAR(p[1], std::exp(2.0) / sum, 1e-15);
  EXPECT_NEAR(p[2], std::exp(-4.0) / sum, 1e-15);
}

TEST(Softmax, DoesNotSeeAConstantAddedToAll) {
  test::Random random;
  const auto logits = random.integers<double>(500, -20, 20);
  const auto p = softmax_of(logits, 0.7);
  for (const double shift : {-1e6, -3.0, 1e3, 1e9}) {
    auto shifted = logits;
    for (double& x : shifted) x += shift;  // exact on integers
    EXPECT_EQ(softmax_of(shifted, 0.7), p);
  }
}

TEST(Softmax, SurvivesExtremeLogits) {
  const auto p = softmax_of(std::vector<float>{1e30F, -1e30F, 1e30F, 0.0F});
  EXPECT_EQ(p, (std::vector<float>{0.5F, 0.0F, 0.5F, 0.0F}));
  const double huge = std::numeric_limits<double>::max();
  const auto q = softmax_of(std::vector<double>{huge, -huge, 0.0});
  EXPECT_EQ(q, (std::vector<double>{1.0, 0.0, 0.0}));
  const auto low = softmax_of(std::vector<float>{-1e30F, -1e30F});
  EXPECT_EQ(low, (std::vector<float>{0.5F, 0.5F}));
}

TEST(Softmax, BecomesTheArgmaxAsTheTemperatureFalls) {
  const std::vector<double> logits{0.1, 0.7, 0.5, 0.69};
  for (const double temperature : {1e-5, 1e-10, 1e-300, 5e-324})
    EXPECT_EQ(softmax_of(logits, temperature), (std::vector<double>{0.0, 1.0, 0.0, 0.0}))
        << temperature;
}

TEST(Softmax, BecomesUniformAsTheTemperatureRises) {
  const std::vector<double> logits{0.1, 70.0, -50.0, 0.0};
  for (const double temperature : {1e12, 1e300, std::numeric_limits<double>::infinity()})
    for (const double p : softmax_of(logits, temperature)) EXPECT_NEAR(p, 0.25, 1e-10);
}

TEST(Softmax, MayWriteOverItsInput) {
  test::Random random;
  auto memory = random.normals<float>(1000);
  const auto expected = softmax_of(memory, 0.3);
  softmax(memory.data(), memory.size(), 0.3, memory.data());
  EXPECT_EQ(memory, expected);
}

TEST(Softmax, RefusesLogitsThatAreNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()})
    for (const std::size_t place : {0UL, 1UL, 2UL}) {
      std::vector<float> logits{0.0F, 1.0F, 2.0F};
      logits[place] = bad;
      EXPECT_TRUE(test::throws_error_with({"logit"}, [&] { softmax_of(logits); }));
    }
}

TEST(Softmax, RefusesATemperatureThatIsNotPositiveAndNamesIt) {
  const std::vector<double> logits{0.0, 1.0};
  EXPECT_TRUE(test::throws_error_with({"temperature", "0.0"}, [&] { softmax_of(logits, 0.0); }));
  EXPECT_TRUE(test::throws_error_with({"temperature", "-2.5"}, [&] { softmax_of(logits, -2.5); }));
  EXPECT_TRUE(
      test::throws_error_with({"temperature", "nan"}, [&] { softmax_of(logits, std::nan("")); }));
}

}  // namespace
}  // namespace vsmax
