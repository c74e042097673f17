// SPDX-License-Identifier: Apache-2.0
// Softmax and barycentre in one pass, against one after the other in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/barycentre.h"
#include "support/error_message.h"
#include "support/random.h"
#include "support/softmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const VeroneseSoftArgmax kSmall({4, 31});

template <class Value>
SoftReadout read(const VeroneseSoftArgmax& readout, const std::vector<Value>& logits,
                 double temperature = 1.0) {
  return readout.read(Cells<const Value>(logits.data(), readout.shape()), temperature);
}

// Writes the probabilities as well.
SoftReadout read(const VeroneseSoftArgmax& readout, const std::vector<float>& logits,
                 double temperature, std::vector<float>& p) {
  p.resize(logits.size());
  return readout.read(Cells<const float>(logits.data(), readout.shape()), temperature,
                      Cells<float>(p.data(), readout.shape()));
}

template <class Value>
class SoftReadoutOf : public ::testing::Test {};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SoftReadoutOf, Values);

TYPED_TEST(SoftReadoutOf, IsSoftmaxAndBarycentreForAllShapesAndSpreads) {
  const double tolerance = std::is_same_v<TypeParam, float> ? 2e-6 : 1e-14;
  test::Random random;
  for (const int thetas : {1, 2, 15, 40})
    for (const int rhos : {3, 5, 15, 17, 31, 33, 127})  // on either side of whole vectors
      for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
        const VeroneseSoftArgmax readout({thetas, rhos, cover});
        for (const double spread : {0.0, 1.0, 30.0, 1e4})
          for (const double temperature : {0.25, 1.0, 8.0}) {
            const auto logits =
                random.uniforms<TypeParam>(readout.shape().count(), -spread, spread);
            const auto p = reference::softmax(logits, temperature);
            const auto expected = reference::barycentre(readout.shape(), p);
            const auto found = read(readout, logits, temperature).barycentre;
            for (std::size_t i = 0; i < found.size(); ++i)
              ASSERT_NEAR(found[i], expected[i], tolerance);
            ASSERT_NEAR(found[0] + found[1] + found[2], 1.0, tolerance) << "unit trace";
          }
      }
}

TEST(SoftReadout, WritesTheProbabilitiesForAllShapesAndSpreads) {
  test::Random random;
  std::vector<float> p;
  for (const int thetas : {1, 2, 15, 40})
    for (const int rhos : {3, 5, 15, 17, 31, 33, 127})
      for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
        const VeroneseSoftArgmax readout({thetas, rhos, cover});
        for (const double spread : {0.0, 1.0, 30.0, 1e4})
          for (const double temperature : {0.25, 1.0, 8.0}) {
            const auto logits = random.uniforms<float>(readout.shape().count(), -spread, spread);
            const auto expected = reference::softmax(logits, temperature);
            read(readout, logits, temperature, p);
            for (std::size_t i = 0; i < p.size(); ++i) {
              // The logits' own rounding counts too, where they are large against the temperature.
              const double error = std::abs(static_cast<double>(p[i]) - expected[i]);
              ASSERT_LE(error, 6e-5 * expected[i] + 1e-36) << p[i];
            }
          }
      }
}

TEST(SoftReadout, MayWriteOverTheLogitsOrKeepNoProbabilities) {
  test::Random random;
  const VeroneseSoftArgmax readout({15, 31, Cover::kDouble});
  auto logits = random.uniforms<float>(readout.shape().count(), -5.0, 5.0);
  std::vector<float> p;
  const SoftReadout apart = read(readout, logits, 1.0, p);
  const SoftReadout without = read(readout, logits, 1.0);
  const SoftReadout over = read(readout, logits, 1.0, logits);
  EXPECT_EQ(apart.barycentre, without.barycentre);
  EXPECT_EQ(apart.barycentre, over.barycentre);
  EXPECT_EQ(apart.log_sum, without.log_sum);
  EXPECT_EQ(logits, p);
}

TYPED_TEST(SoftReadoutOf, LogSumIsThatOfTheExponentials) {
  const VeroneseSoftArgmax readout({2, 3});
  const std::vector<TypeParam> logits{1000, 1000, 0, 0, 0, 0};
  EXPECT_NEAR(read(readout, logits, 2.0).log_sum, 500 + std::log(2.0), 1e-6);
}

TYPED_TEST(SoftReadoutOf, GivesNoWeightToMinusInfinity) {
  std::vector<TypeParam> logits(kSmall.shape().count(), static_cast<TypeParam>(-kInfinity));
  logits[40] = 3;
  const auto found = read(kSmall, logits).barycentre;
  const auto expected = embedding_from_line(kSmall.shape().line(kSmall.shape().cell(40)));
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-7);
}

TEST(SoftReadout, GivesNoProbabilityToMinusInfinity) {
  std::vector<float> logits(kSmall.shape().count(), static_cast<float>(-kInfinity));
  logits[40] = 3.0F;
  std::vector<float> p;
  read(kSmall, logits, 1.0, p);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], i == 40 ? 1.0F : 0.0F);
}

TYPED_TEST(SoftReadoutOf, PropagatesNanAndPlusInfinityAndNeedsAWeight) {
  for (const std::size_t place : {std::size_t{0}, std::size_t{33}, kSmall.shape().count() - 1})
    for (const double value : {std::nan(""), kInfinity}) {
      std::vector<TypeParam> logits(kSmall.shape().count(), 1);
      logits[place] = static_cast<TypeParam>(value);
      const SoftReadout found = read(kSmall, logits);
      EXPECT_TRUE(std::isnan(found.log_sum));
      for (const double x : found.barycentre) EXPECT_TRUE(std::isnan(x));
    }
  const std::vector<TypeParam> nothing(kSmall.shape().count(), static_cast<TypeParam>(-kInfinity));
  EXPECT_TRUE(std::isnan(read(kSmall, nothing).log_sum));
}

TEST(SoftReadout, PropagatesNanToAllProbabilities) {
  std::vector<float> logits(kSmall.shape().count(), 1.0F);
  logits[33] = std::nanf("");
  std::vector<float> p;
  read(kSmall, logits, 1.0, p);
  for (const float x : p) EXPECT_TRUE(std::isnan(x));
}

TYPED_TEST(SoftReadoutOf, SurvivesExtremeTemperatures) {
  const CellShape& shape = kSmall.shape();
  std::vector<TypeParam> logits(shape.count(), 0);
  logits[7] = 1;
  const auto peak = embedding_from_line(shape.line(shape.cell(7)));
  const double share = 1.0 / static_cast<double>(shape.count());
  const auto uniform = reference::barycentre(shape, std::vector<double>(shape.count(), share));
  const auto cold = read(kSmall, logits, 1e-300).barycentre;
  const auto hot = read(kSmall, logits, 1e300).barycentre;
  for (std::size_t k = 0; k < peak.size(); ++k) {
    EXPECT_NEAR(cold[k], peak[k], 1e-6);
    EXPECT_NEAR(hot[k], uniform[k], 1e-6);
  }
}

TYPED_TEST(SoftReadoutOf, RejectsATemperatureThatIsNotPositiveAndNamesIt) {
  const std::vector<TypeParam> logits(kSmall.shape().count(), 0);
  for (const auto& [temperature, text] :
       {std::pair{0.0, "0.0"}, {-2.5, "-2.5"}, {std::nan(""), "nan"}})
    EXPECT_TRUE(test::throws_error_with({"temperature", text},
                                        [&, t = temperature] { read(kSmall, logits, t); }));
}

}  // namespace
}  // namespace vsmax
