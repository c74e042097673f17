// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/veronese_soft_argmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "support/random.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/readout/soft_argmax.h"

namespace vsmax {
namespace {

using std::numbers::pi;

const std::vector<HoughGrid> kGrids{
    {{48, 36}, 12, 13}, {{31, 77}, 15, 21}, {{2, 2}, 1, 3}, {{64, 64}, 2, 5}, {{9, 9}, 31, 33}};

// The line of a cell, rho in units of D; rows T..2T-1 of the double cover have theta + pi.
PixelLine line_of(const HoughGrid& grid, std::size_t row, std::size_t r) {
  const auto t = static_cast<int>(row);
  const double theta = t < grid.thetas() ? grid.theta(t) : grid.theta(t - grid.thetas()) + pi;
  return {theta, grid.rho_unit(static_cast<int>(r))};
}

LineVector decode(const LineEmbedding& barycentre) {
  return symmetric_eigen<3>(symmetric_from_veronese<3>(barycentre)).leading();
}

TEST(VeroneseSoftArgmax, OfOneCellIsThatCellsLine) {
  for (const auto& grid : kGrids)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
      const VeroneseSoftArgmax readout(grid, cover);
      std::vector<double> p(readout.cells(), 0.0);
      for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = 1.0;
        const auto line = line_of(grid, i / readout.rhos(), i % readout.rhos());
        const auto l = decode(readout.barycentre(p.data()));
        ASSERT_LT(projective_sine(l, vector_from_line(line)), 1e-12) << "cell " << i;
        p[i] = 0.0;
      }
    }
}

TEST(VeroneseSoftArgmax, OfOneCellOfThePapersGridIsThatCellsLine) {
  test::Random random;
  const HoughGrid grid = HoughGrid::paper();
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    const VeroneseSoftArgmax readout(grid, cover);
    EXPECT_EQ(readout.rows(), cover == Cover::kSingle ? 127U : 254U);
    EXPECT_EQ(readout.rhos(), 127U);
    std::vector<float> p(readout.cells(), 0.0F);
    for (int repeat = 0; repeat < 500; ++repeat) {
      const auto i =
          static_cast<std::size_t>(random.integer(0, static_cast<int>(readout.cells()) - 1));
      p[i] = 1.0F;
      const auto line = line_of(grid, i / readout.rhos(), i % readout.rhos());
      ASSERT_LT(projective_sine(decode(readout.barycentre(p.data())), vector_from_line(line)),
                1e-12);
      p[i] = 0.0F;
    }
  }
}

TEST(VeroneseSoftArgmax, HasOneEmbeddingForBothSidesOfALine) {
  for (const auto& grid : kGrids) {
    const VeroneseSoftArgmax readout(grid, Cover::kDouble);
    const auto thetas = static_cast<std::size_t>(grid.thetas());
    std::vector<double> p(readout.cells(), 0.0);
    for (std::size_t t = 0; t < thetas; ++t)
      for (std::size_t r = 0; r < readout.rhos(); ++r) {
        double& here = p[t * readout.rhos() + r];
        double& antipode = p[(thetas + t) * readout.rhos() + readout.rhos() - 1 - r];
        here = 1.0;
        const auto a = readout.barycentre(p.data());
        here = 0.0;
        antipode = 1.0;
        EXPECT_EQ(a, readout.barycentre(p.data()));
        antipode = 0.0;
      }
  }
}

TEST(VeroneseSoftArgmax, IsTheMeanOverTheTableOfEmbeddings) {
  test::Random random;
  for (const auto& grid : kGrids)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
      const VeroneseSoftArgmax readout(grid, cover);
      const auto p = random.uniforms<double>(readout.cells());
      LineEmbedding mean{};
      for (std::size_t i = 0; i < p.size(); ++i) {
        const auto v = veronese_from_point(
            vector_from_line(line_of(grid, i / readout.rhos(), i % readout.rhos())));
        for (std::size_t k = 0; k < 6; ++k) mean[k] += p[i] * v[k];
      }
      const auto result = readout.barycentre(p.data());
      const double mass = std::accumulate(p.begin(), p.end(), 0.0);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(result[k], mean[k], 1e-14 * mass);
      EXPECT_NEAR(result[0] + result[1] + result[2], mass, 1e-13 * mass);  // unit trace
    }
}

TEST(VeroneseSoftArgmax, OfFloatsIsThatOfDoubles) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const VeroneseSoftArgmax readout(grid, Cover::kDouble);
    const auto narrow = random.uniforms<float>(readout.cells());
    const std::vector<double> wide(narrow.begin(), narrow.end());
    EXPECT_EQ(readout.barycentre(narrow.data()), readout.barycentre(wide.data()));
  }
}

// The paper's point. Half the mass on either side of the seam, on two lines that are neighbours:
// VSmax finds the line between them, the soft-argmax one that is far from both.
TEST(Seam, IsWhereVsmaxStaysAndTheSoftArgmaxIsTorn) {
  const HoughGrid grid = HoughGrid::paper();
  const VeroneseSoftArgmax readout(grid, Cover::kSingle);
  for (const int r : {40, 63, 90}) {
    const Cell before{grid.thetas() - 1, grid.rhos() - 1 - r};
    const Cell after{0, r};
    std::vector<double> p(grid.cells(), 0.0);
    for (const Cell cell : {before, after})
      p[static_cast<std::size_t>(cell.t * grid.rhos() + cell.r)] = 0.5;
    const auto a = vector_from_line({grid.theta(before.t), grid.rho_unit(before.r)});
    const auto b = vector_from_line({grid.theta(after.t), grid.rho_unit(after.r)});
    const double apart = projective_angle(a, b);
    ASSERT_LT(apart, 0.03);

    const auto found = decode(readout.barycentre(p.data()));
    EXPECT_NEAR(projective_angle(found, a), apart / 2.0, 1e-9);
    EXPECT_NEAR(projective_angle(found, b), apart / 2.0, 1e-9);

    const auto [theta, rho] = soft_argmax(grid, p.data());
    const auto torn = vector_from_line({theta, rho});
    EXPECT_GT(projective_angle(torn, a), 40.0 * apart);
    EXPECT_GT(projective_angle(torn, b), 40.0 * apart);
  }
}

TEST(Seam, IsNoDifferentFromTheInteriorForVsmax) {
  const HoughGrid grid({65, 65}, 60, 61);
  const VeroneseSoftArgmax readout(grid, Cover::kSingle);
  std::vector<double> gaps;
  for (const int t : {0, 20, 59}) {  // the pairs (0, 1), (20, 21) and, over the seam, (59, 0)
    std::vector<double> p(grid.cells(), 0.0);
    const int next = (t + 1) % 60;
    p[static_cast<std::size_t>(t * 61 + 45)] += 0.5;
    p[static_cast<std::size_t>(next * 61 + (next == 0 ? 15 : 45))] += 0.5;
    const auto eigen = symmetric_eigen<3>(symmetric_from_veronese<3>(readout.barycentre(p.data())));
    gaps.push_back(eigen.gap());
  }
  EXPECT_NEAR(gaps[0], gaps[1], 1e-12);
  EXPECT_NEAR(gaps[0], gaps[2], 1e-12);
}

}  // namespace
}  // namespace vsmax
