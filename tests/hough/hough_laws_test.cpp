// SPDX-License-Identifier: Apache-2.0
// What the Hough transform is: linear, with a true adjoint, and faithful to mass and symmetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/hough_images.h"
#include "support/random.h"
#include "vsmax/hough/hough.h"

namespace vsmax {
namespace {

const std::vector<HoughGrid> kGrids{{{64, 48}, 31, 33}, {{37, 81}, 20, 101}, {{2, 300}, 7, 31},
                                    {{300, 2}, 8, 31},  {{17, 17}, 1, 9},    {{33, 33}, 2, 9},
                                    {{65, 65}, 64, 65}, {{40, 30}, 24, 999}, {{4096, 2}, 5, 101}};

template <class Value>
std::vector<Value> forward(const HoughTransform& hough, const std::vector<Value>& image) {
  std::vector<Value> accumulator(hough.grid().cells());
  HoughScratch scratch;
  hough.forward(image, accumulator, scratch);
  return accumulator;
}

template <class Value>
std::vector<Value> adjoint(const HoughTransform& hough, const std::vector<Value>& accumulator) {
  std::vector<Value> image(hough.grid().frame().pixels());
  HoughScratch scratch;
  hough.adjoint(accumulator, image, scratch);
  return image;
}

// The inner product, and a bound of its rounding: the sum of the absolute values of its terms.
std::pair<double, double> product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
    size += std::abs(a[i] * b[i]);
  }
  return {sum, size};
}

TEST(HoughAdjoint, IsTheAdjoint) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto x = random.normals<double>(grid.frame().pixels());
    const auto y = random.normals<double>(grid.cells());
    const auto [left, left_size] = product(forward(hough, x), y);
    const auto [right, right_size] = product(x, adjoint(hough, y));
    EXPECT_NEAR(left, right, 1e-12 * std::max(left_size, right_size)) << test::name_of(grid);
  }
}

TEST(Hough, IsLinear) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto x = random.normals<double>(grid.frame().pixels());
    const auto y = random.normals<double>(grid.frame().pixels());
    std::vector<double> mixed(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) mixed[i] = 2.0 * x[i] - 3.0 * y[i];
    const auto hx = forward(hough, x);
    const auto hy = forward(hough, y);
    const auto hm = forward(hough, mixed);
    for (std::size_t i = 0; i < hm.size(); ++i)
      ASSERT_NEAR(hm[i], 2.0 * hx[i] - 3.0 * hy[i], 1e-9) << test::name_of(grid);
  }
}

TEST(HoughAdjoint, IsLinear) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto x = random.normals<double>(grid.cells());
    const auto y = random.normals<double>(grid.cells());
    std::vector<double> mixed(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) mixed[i] = 2.0 * x[i] - 3.0 * y[i];
    const auto ax = adjoint(hough, x);
    const auto ay = adjoint(hough, y);
    const auto am = adjoint(hough, mixed);
    for (std::size_t i = 0; i < am.size(); ++i)
      ASSERT_NEAR(am[i], 2.0 * ax[i] - 3.0 * ay[i], 1e-9) << test::name_of(grid);
  }
}

TEST(Hough, ConservesTheMassAtEveryAngle) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto image = random.integers<double>(grid.frame().pixels(), 0, 255);
    const double mass = std::accumulate(image.begin(), image.end(), 0.0);
    const auto accumulator = forward(hough, image);
    for (int t = 0; t < grid.thetas(); ++t) {
      const auto row = accumulator.begin() + t * grid.rhos();
      EXPECT_EQ(std::accumulate(row, row + grid.rhos(), 0.0), mass) << test::name_of(grid);
    }
  }
}

TEST(Hough, PutsEveryPixelIntoOneCellPerAngle) {
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto counts = hough.pixel_counts();
    ASSERT_EQ(counts.size(), grid.cells());
    for (int t = 0; t < grid.thetas(); ++t) {
      const auto row = counts.begin() + t * grid.rhos();
      EXPECT_EQ(std::accumulate(row, row + grid.rhos(), std::size_t{0}), grid.frame().pixels());
    }
    const auto ones = forward(hough, std::vector<double>(grid.frame().pixels(), 1.0));
    for (std::size_t i = 0; i < ones.size(); ++i) ASSERT_EQ(counts[i], ones[i]);
  }
}

TEST(HoughAdjoint, OfOnesCountsTheAngles) {
  for (const auto& grid : kGrids) {
    const auto image = adjoint(HoughTransform(grid), std::vector<float>(grid.cells(), 1.0F));
    for (const float pixel : image) ASSERT_EQ(pixel, static_cast<float>(grid.thetas()));
  }
}

TEST(Hough, TurnedByHalfATurnFlipsRho) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto image = random.integers<float>(grid.frame().pixels(), 0, 50);
    const auto plain = forward(hough, image);
    const auto turned = forward(hough, std::vector<float>(image.rbegin(), image.rend()));
    const auto rhos = static_cast<std::size_t>(grid.rhos());
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_EQ(turned[i], plain[i / rhos * rhos + rhos - 1 - i % rhos]) << test::name_of(grid);
  }
}

TEST(Hough, MirroredInXMirrorsTheta) {
  test::Random random;
  for (const auto& grid : kGrids) {
    const HoughTransform hough(grid);
    const auto image = random.integers<float>(grid.frame().pixels(), 0, 50);
    auto mirrored = image;
    for (auto row = mirrored.begin(); row != mirrored.end(); row += grid.frame().width)
      std::reverse(row, row + grid.frame().width);
    const auto plain = forward(hough, image);
    const auto result = forward(hough, mirrored);
    const auto thetas = static_cast<std::size_t>(grid.thetas());
    const auto rhos = static_cast<std::size_t>(grid.rhos());
    for (std::size_t t = 0; t < thetas; ++t)
      for (std::size_t r = 0; r < rhos; ++r)  // theta -> pi - theta; pi is 0 with rho flipped
        ASSERT_EQ(result[t * rhos + r],
                  t == 0 ? plain[rhos - 1 - r] : plain[(thetas - t) * rhos + r])
            << test::name_of(grid);
  }
}

TEST(Hough, OfOnePixelVotesOncePerAngleInItsBin) {
  const HoughGrid grid({31, 20}, 12, 41);
  const HoughTransform hough(grid);
  for (const auto& [column, row] : {std::pair{0, 0}, {30, 19}, {15, 9}, {7, 13}}) {
    std::vector<std::uint8_t> image(grid.frame().pixels(), 0);
    image[static_cast<std::size_t>(row * 31 + column)] = 200;
    std::vector<std::uint32_t> accumulator(grid.cells());
    HoughScratch scratch;
    hough.forward(image, accumulator, scratch);
    for (int t = 0; t < grid.thetas(); ++t)
      for (int r = 0; r < grid.rhos(); ++r)
        EXPECT_EQ(accumulator[static_cast<std::size_t>(t * grid.rhos() + r)],
                  r == grid.bin(t, column, row) ? 200U : 0U);
  }
}

}  // namespace
}  // namespace vsmax
