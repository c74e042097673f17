// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/concentration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "support/random.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

using std::numbers::pi;

constexpr CellShape kShape{30, 31};

// The concentration at a gap of 1 is the mass near the line, clamped to 1: values are kept small.
constexpr float kUnit = 1.0F / 1024.0F;

double concentration_of(const std::vector<float>& p, double gap, UnitLine line,
                        CellShape shape = kShape) {
  return concentration(shape, gap, line,
                       [&](Cell cell) { return static_cast<double>(p[shape.index(cell)]); });
}

double mass_near(const std::vector<float>& values, UnitLine line, CellShape shape = kShape) {
  return concentration_of(values, 1.0, line, shape) / static_cast<double>(kUnit);
}

TEST(MassNear, CountsEachCellOnceAlsoAcrossTheSeam) {
  const std::vector<float> ones(kShape.count(), kUnit);
  for (int t = 0; t < kShape.thetas; ++t) {
    EXPECT_EQ(mass_near(ones, kShape.line({t, 15})), 25.0) << t;
    EXPECT_EQ(mass_near(ones, kShape.line({t, 0})), 15.0) << t;
    EXPECT_EQ(mass_near(ones, kShape.line({t, 29})), 20.0) << t;
  }
}

TEST(MassNear, NeverCountsMoreThanAllCellsOfASmallGrid) {
  for (const int thetas : {1, 2, 3, 4, 5})
    for (const int rhos : {3, 5}) {
      const CellShape shape{thetas, rhos};
      const std::vector<float> ones(shape.count(), kUnit);
      for (std::size_t i = 0; i < shape.count(); ++i) {
        const double mass = mass_near(ones, shape.line(shape.cell(i)), shape);
        EXPECT_GE(mass, 1.0);
        EXPECT_LE(mass, static_cast<double>(shape.count()));
      }
    }
}

// A cell is near a line exactly if it is within two bins of it once unrolled across the seam.
TEST(MassNear, FlipsRhoAcrossTheSeam) {
  for (const auto& [line_t, cell_t] : {std::pair{0, 29}, {0, 28}, {1, 29}, {29, 0}, {28, 0}}) {
    std::vector<float> values(kShape.count(), 0.0F);
    values[kShape.index({cell_t, 30 - 22})] = kUnit;
    for (int r = 0; r < 31; ++r)
      EXPECT_EQ(mass_near(values, kShape.line({line_t, r})), std::abs(r - 22) <= 2 ? 1.0 : 0.0)
          << "line " << line_t << ", " << r << " and cell " << cell_t;
  }
}

TEST(MassNear, DoesNotDependOnTheRepresentative) {
  std::vector<float> values(kShape.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kUnit * static_cast<float>(i % 41);
  for (double theta = 0.013; theta < pi; theta += 0.1)
    for (const double rho : {-0.51, 0.01, 0.28})
      EXPECT_EQ(mass_near(values, {theta, rho}), mass_near(values, {theta + pi, -rho}));
}

// Just below pi the nearest row is row 0, with rho flipped.
TEST(MassNear, RoundsTheLastHalfBinToTheFirstRow) {
  std::vector<float> values(kShape.count(), 0.0F);
  values[kShape.index({2, 20})] = kUnit;  // within two rows of row 0 only
  const double rho = kShape.rho(20);
  EXPECT_EQ(mass_near(values, {0.0, rho}), 1.0);
  EXPECT_EQ(mass_near(values, {pi - 1e-6, -rho}), 1.0);
  EXPECT_EQ(mass_near(values, {pi - 1e-6, rho}), 0.0);
  EXPECT_EQ(mass_near(values, {pi - pi / 30.0, -rho}), 0.0);
}

TEST(MassNear, IsZeroForALineFarOutside) {
  const std::vector<float> ones(kShape.count(), kUnit);
  for (const double rho : {25.0, -25.0, 1e18, -1e300}) EXPECT_EQ(mass_near(ones, {0.4, rho}), 0.0);
}

TEST(Concentration, IsGapTimesMassInTheUnitInterval) {
  std::vector<float> p(kShape.count(), 0.0F);
  p[kShape.index({7, 12})] = 0.75F;
  p[kShape.index({20, 3})] = 0.25F;
  const UnitLine line = kShape.line({7, 12});
  EXPECT_DOUBLE_EQ(concentration_of(p, 0.5, line), 0.375);
  EXPECT_EQ(concentration_of(p, -1e-17, line), 0.0);
  EXPECT_DOUBLE_EQ(concentration_of(p, 1.0 + 1e-12, line), 0.75);
  EXPECT_EQ(concentration_of(p, 1.0, kShape.line({12, 12})), 0.0);
  EXPECT_EQ(concentration_of(p, 1.0, {std::nan(""), 0.0}), 0.0);
  EXPECT_EQ(concentration_of(p, 1.0, {0.0, INFINITY}), 0.0);
  p[kShape.index({7, 12})] = 1.0F + 1e-6F;
  EXPECT_EQ(concentration_of(p, 1.0, line), 1.0);
}

// Against the probabilities themselves, both sheets added where there are two.
TEST(Concentration, OfASoftmaxIsThatOfItsProbabilities) {
  constexpr double kTemperature = 0.7;
  test::Random random;
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    const CellShape shape = kShape.on(cover);
    std::vector<float> logits = random.uniforms<float>(shape.count());
    logits[shape.index({3, 9})] = 8.0F;
    const SoftReadout read = VeroneseSoftArgmax(shape).read({logits.data(), shape}, kTemperature);
    std::vector<float> p(shape.count());
    for (std::size_t i = 0; i < p.size(); ++i)
      p[i] = static_cast<float>(
          std::exp(static_cast<double>(logits[i]) / kTemperature - read.log_sum));
    std::vector<float> once = p;
    if (cover == Cover::kDouble) {
      once.resize(kShape.count());
      fold_double_cover<float>({p.data(), shape}, Cells<float>(once.data(), kShape));
    }
    const EmbeddedLine found = line_from_embedding(read.barycentre);
    const double* mean = read.barycentre.data();
    std::vector<double> wide(logits.begin(), logits.end());
    for (const UnitLine line : {found.line, kShape.line({3, 9}), UnitLine{1.0, 2.0}})
      EXPECT_NEAR(softmax_concentration(shape, wide.data(), kTemperature, read.log_sum, mean, line),
                  concentration_of(once, found.gap, line), 1e-6);
  }
}

}  // namespace
}  // namespace vsmax
