// SPDX-License-Identifier: Apache-2.0
// Softmax and barycentre in one pass, against the two one after the other in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/random.h"
#include "vsmax/base/error.h"
#include "vsmax/readout/softmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Reference {
  std::vector<double> probabilities;
  LineEmbedding barycentre{};
};

template <class Value>
Reference reference(const VeroneseSoftArgmax& readout, const std::vector<Value>& logits,
                    double temperature) {
  Reference result;
  result.probabilities.assign(logits.begin(), logits.end());
  softmax(result.probabilities.data(), logits.size(), temperature, result.probabilities.data());
  result.barycentre = readout.barycentre(result.probabilities.data());
  return result;
}

template <class Value>
std::vector<Value> random_logits(test::Random& random, std::size_t count, double spread) {
  std::vector<Value> logits(count);
  for (Value& logit : logits) logit = static_cast<Value>(random.uniform(-spread, spread));
  return logits;
}

template <class Value>
class SoftReadoutOf : public ::testing::Test {};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SoftReadoutOf, Values);

TYPED_TEST(SoftReadoutOf, IsSoftmaxAndBarycentreForAllShapesAndSpreads) {
  const double tolerance = std::is_same_v<TypeParam, float> ? 2e-6 : 1e-14;
  test::Random random;
  for (const int thetas : {1, 2, 15, 127})
    for (const int rhos : {3, 5, 15, 17, 31, 33, 127})  // on either side of whole vectors
      for (const Cover cover : {Cover::kSingle, Cover::kDouble})
        for (const double spread : {0.0, 1.0, 30.0, 1e4})
          for (const double temperature : {0.25, 1.0, 8.0}) {
            const VeroneseSoftArgmax readout(HoughGrid({40, 30}, thetas, rhos), cover);
            const auto logits = random_logits<TypeParam>(random, readout.cells(), spread);
            const auto expected = reference(readout, logits, temperature);
            std::vector<TypeParam> p(logits.size());
            const SoftReadout read = readout.read(logits.data(), temperature, p.data());
            for (std::size_t i = 0; i < read.barycentre.size(); ++i)
              ASSERT_NEAR(read.barycentre[i], expected.barycentre[i], tolerance);
            for (std::size_t i = 0; i < p.size(); ++i) {
              const double error = std::abs(static_cast<double>(p[i]) - expected.probabilities[i]);
              // The logits' own rounding counts too, where they are large against the temperature.
              ASSERT_LE(error, 30 * tolerance * expected.probabilities[i] + 1e-36) << p[i];
            }
          }
}

TYPED_TEST(SoftReadoutOf, MayWriteOverTheLogitsOrKeepNoProbabilities) {
  test::Random random;
  const VeroneseSoftArgmax readout(HoughGrid({40, 30}, 15, 31), Cover::kDouble);
  auto logits = random_logits<TypeParam>(random, readout.cells(), 5.0);
  std::vector<TypeParam> p(logits.size());
  const SoftReadout apart = readout.read(logits.data(), 1.0, p.data());
  const SoftReadout without = readout.read<TypeParam>(logits.data(), 1.0, nullptr);
  const SoftReadout over = readout.read(logits.data(), 1.0, logits.data());
  EXPECT_EQ(apart.barycentre, without.barycentre);
  EXPECT_EQ(apart.barycentre, over.barycentre);
  EXPECT_EQ(logits, p);
}

TYPED_TEST(SoftReadoutOf, LogSumIsThatOfTheExponentials) {
  const VeroneseSoftArgmax readout(HoughGrid({40, 30}, 2, 3), Cover::kSingle);
  const std::vector<TypeParam> logits{1000, 1000, 0, 0, 0, 0};
  EXPECT_NEAR(readout.read<TypeParam>(logits.data(), 2.0, nullptr).log_sum, 500 + std::log(2.0),
              1e-6);
}

TYPED_TEST(SoftReadoutOf, GivesNoWeightToMinusInfinity) {
  const VeroneseSoftArgmax readout(HoughGrid({40, 30}, 4, 31), Cover::kSingle);
  std::vector<TypeParam> logits(readout.cells(), static_cast<TypeParam>(-kInfinity));
  logits[40] = 3;
  std::vector<TypeParam> p(logits.size());
  readout.read(logits.data(), 1.0, p.data());
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], i == 40 ? 1 : 0);
}

TYPED_TEST(SoftReadoutOf, IsNaNWhereALogitIsNaNOrPlusInfinityOrNoneHasWeight) {
  const VeroneseSoftArgmax readout(HoughGrid({40, 30}, 4, 31), Cover::kSingle);
  for (const std::size_t place : {std::size_t{0}, std::size_t{33}, readout.cells() - 1})
    for (const double value : {std::nan(""), kInfinity}) {
      std::vector<TypeParam> logits(readout.cells(), 1);
      logits[place] = static_cast<TypeParam>(value);
      std::vector<TypeParam> p(logits.size());
      const SoftReadout read = readout.read(logits.data(), 1.0, p.data());
      EXPECT_TRUE(std::isnan(read.log_sum));
      for (const double x : read.barycentre) EXPECT_TRUE(std::isnan(x));
      EXPECT_TRUE(std::isnan(p.front()));
    }
  const std::vector<TypeParam> nothing(readout.cells(), static_cast<TypeParam>(-kInfinity));
  EXPECT_TRUE(std::isnan(readout.read<TypeParam>(nothing.data(), 1.0, nullptr).log_sum));
}

TYPED_TEST(SoftReadoutOf, SurvivesExtremeTemperatures) {
  const VeroneseSoftArgmax readout(HoughGrid({40, 30}, 4, 31), Cover::kSingle);
  std::vector<TypeParam> logits(readout.cells(), 0);
  logits[7] = 1;
  std::vector<TypeParam> p(logits.size());
  readout.read(logits.data(), 1e-300, p.data());
  EXPECT_EQ(p[7], 1);
  EXPECT_EQ(p[8], 0);
  readout.read(logits.data(), 1e300, p.data());
  for (const TypeParam x : p) EXPECT_NEAR(x * static_cast<TypeParam>(p.size()), 1, 1e-6);
  EXPECT_THROW(readout.read(logits.data(), 0.0, p.data()), Error);
}

}  // namespace
}  // namespace vsmax
