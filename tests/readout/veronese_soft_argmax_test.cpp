// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/veronese_soft_argmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/random.h"
#include "vsmax/readout/soft_argmax.h"

namespace vsmax {
namespace {

const std::vector<CellShape> kShapes{{12, 13}, {15, 21}, {1, 3}, {2, 5}, {31, 33}};

// The barycentre of these cells with equal weights.
template <class Value>
LineEmbedding barycentre_of(const VeroneseSoftArgmax& readout, const std::vector<Cell>& chosen) {
  const CellShape& shape = readout.shape();
  std::vector<Value> logits(shape.count(), -std::numeric_limits<Value>::infinity());
  for (const Cell cell : chosen) logits[shape.index(cell)] = 0;
  return readout.read(Cells<const Value>(logits.data(), shape), 1.0).barycentre;
}

double sine_between(UnitLine a, UnitLine b) {
  return projective_sine(vector_from_line(a), vector_from_line(b));
}

template <class Value>
class VeroneseSoftArgmaxOf : public ::testing::Test {};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VeroneseSoftArgmaxOf, Values);

TYPED_TEST(VeroneseSoftArgmaxOf, OneCellIsThatCellsLine) {
  const double tolerance = std::is_same_v<TypeParam, float> ? 2e-7 : 1e-12;
  for (const CellShape& single : kShapes)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
      const VeroneseSoftArgmax readout(single.on(cover));
      for (std::size_t i = 0; i < readout.shape().count(); ++i) {
        const Cell cell = readout.shape().cell(i);
        const auto found = line_from_embedding(barycentre_of<TypeParam>(readout, {cell}));
        ASSERT_LT(sine_between(found.line, readout.shape().line(cell)), tolerance) << "cell " << i;
        ASSERT_NEAR(found.gap, 1.0, tolerance);
      }
    }
}

TEST(VeroneseSoftArgmax, OfOneCellOfThePapersGridIsThatCellsLine) {
  test::Random random;
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    const VeroneseSoftArgmax readout(HoughGrid::paper().shape(cover));
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Cell cell{random.integer(0, readout.shape().rows() - 1), random.integer(0, 126)};
      const auto found = line_from_embedding(barycentre_of<double>(readout, {cell}));
      ASSERT_LT(sine_between(found.line, readout.shape().line(cell)), 1e-12);
    }
  }
}

TYPED_TEST(VeroneseSoftArgmaxOf, BothSheetsHaveOneEmbedding) {
  for (const CellShape& single : kShapes) {
    const VeroneseSoftArgmax readout(single.on(Cover::kDouble));
    for (int t = 0; t < single.thetas; ++t)
      for (int r = 0; r < single.rhos; ++r)
        EXPECT_EQ(barycentre_of<TypeParam>(readout, {{t, r}}),
                  barycentre_of<TypeParam>(readout, {{single.thetas + t, single.rhos - 1 - r}}));
  }
}

// The paper's point. With half the mass on either side of the seam, on two neighbouring lines,
// VSmax finds the line between them; the soft-argmax finds one far from both.
TEST(Seam, TearsTheSoftArgmaxButNotVsmax) {
  const CellShape shape = HoughGrid::paper().shape();
  const VeroneseSoftArgmax readout(shape);
  for (const int r : {40, 63, 90}) {
    const Cell after{0, r};
    const Cell before = shape.across_seam({-1, r});
    const auto a = vector_from_line(shape.line(before));
    const auto b = vector_from_line(shape.line(after));
    const double apart = projective_angle(a, b);
    ASSERT_LT(apart, 0.03);

    const auto found =
        vector_from_line(line_from_embedding(barycentre_of<double>(readout, {before, after})).line);
    EXPECT_NEAR(projective_angle(found, a), apart / 2.0, 1e-9);
    EXPECT_NEAR(projective_angle(found, b), apart / 2.0, 1e-9);

    std::vector<float> p(shape.count(), 0.0F);
    for (const Cell cell : {before, after}) p[shape.index(cell)] = 0.5F;
    const auto torn = vector_from_line(soft_argmax({p.data(), shape}));
    EXPECT_GT(projective_angle(torn, a), 40.0 * apart);
    EXPECT_GT(projective_angle(torn, b), 40.0 * apart);
  }
}

TEST(Seam, IsNoDifferentFromTheInteriorForVsmax) {
  const CellShape shape{60, 61};
  const VeroneseSoftArgmax readout(shape);
  std::vector<double> gaps;
  for (const int t : {0, 20, 59})  // the pairs (0, 1), (20, 21) and, across the seam, (59, 0)
    gaps.push_back(line_from_embedding(
                       barycentre_of<double>(readout, {{t, 45}, shape.across_seam({t + 1, 45})}))
                       .gap);
  EXPECT_NEAR(gaps[0], gaps[1], 1e-12);
  EXPECT_NEAR(gaps[0], gaps[2], 1e-12);
}

}  // namespace
}  // namespace vsmax
