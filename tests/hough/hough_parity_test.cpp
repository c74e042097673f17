// SPDX-License-Identifier: Apache-2.0
// The fast transform equals the definition, bit for bit, wherever all sums are integers.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/error_message.h"
#include "support/hough_images.h"
#include "support/hough_reference.h"
#include "support/largest_error.h"
#include "support/random.h"
#include "vsmax/hough/hough.h"

namespace vsmax {
namespace {

template <class Pixel, class Value>
std::vector<Value> forward(const HoughTransform& hough, const std::vector<Pixel>& images,
                           int batch) {
  std::vector<Value> result(static_cast<std::size_t>(batch) * hough.grid().cells(), Value(77));
  HoughScratch scratch;
  hough.forward(images, result, scratch);
  return result;
}

template <class Pixel, class Value>
void expect_forward_is_exact(const HoughGrid& grid, int batch, int low, int high,
                             test::Random& random) {
  const std::size_t pixels = grid.frame().pixels();
  const auto images = random.integers<Pixel>(static_cast<std::size_t>(batch) * pixels, low, high);
  const HoughTransform hough(grid);
  const reference::Votes votes(grid);
  const auto result = forward<Pixel, Value>(hough, images, batch);
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
    const auto truth = votes.forward(images.data() + b * pixels);
    for (std::size_t i = 0; i < truth.size(); ++i)
      ASSERT_EQ(static_cast<double>(result[b * truth.size() + i]), truth[i])
          << test::name_of(grid) << ", image " << b << ", cell " << i;
  }
}

template <class Value>
void expect_adjoint_is_exact(const HoughGrid& grid, int batch, test::Random& random) {
  const std::size_t pixels = grid.frame().pixels();
  const auto accumulators =
      random.integers<Value>(static_cast<std::size_t>(batch) * grid.cells(), -500, 500);
  std::vector<Value> images(static_cast<std::size_t>(batch) * pixels, Value(77));
  const HoughTransform hough(grid);
  HoughScratch scratch;
  hough.adjoint(accumulators, images, scratch);
  const reference::Votes votes(grid);
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
    const auto truth = votes.adjoint(accumulators.data() + b * grid.cells());
    for (std::size_t i = 0; i < truth.size(); ++i)
      ASSERT_EQ(static_cast<double>(images[b * pixels + i]), truth[i])
          << test::name_of(grid) << ", image " << b << ", pixel " << i;
  }
}

TEST(HoughParity, ForwardOfBytesIsExact) {
  test::Random random;
  for (const auto& grid : test::many_grids())
    expect_forward_is_exact<std::uint8_t, std::uint32_t>(grid, 1, 0, 255, random);
}

TEST(HoughParity, ForwardOfFloatIsExactOnIntegers) {
  test::Random random;
  for (const auto& grid : test::many_grids())
    expect_forward_is_exact<float, float>(grid, 1, -255, 255, random);
}

TEST(HoughParity, ForwardOfDoubleIsExactOnIntegers) {
  test::Random random;
  for (const auto& grid : test::many_grids())
    expect_forward_is_exact<double, double>(grid, 1, -1000000, 1000000, random);
}

TEST(HoughParity, AdjointOfFloatIsExactOnIntegers) {
  test::Random random;
  for (const auto& grid : test::many_grids()) expect_adjoint_is_exact<float>(grid, 1, random);
}

TEST(HoughParity, AdjointOfDoubleIsExactOnIntegers) {
  test::Random random;
  for (const auto& grid : test::many_grids()) expect_adjoint_is_exact<double>(grid, 1, random);
}

TEST(HoughParity, HoldsForEveryImageOfABatch) {
  test::Random random;
  for (const HoughGrid& grid : {HoughGrid({23, 31}, 15, 17), HoughGrid({24, 18}, 16, 33)}) {
    expect_forward_is_exact<std::uint8_t, std::uint32_t>(grid, 3, 0, 255, random);
    expect_forward_is_exact<float, float>(grid, 4, -255, 255, random);
    expect_forward_is_exact<double, double>(grid, 2, -255, 255, random);
    expect_adjoint_is_exact<float>(grid, 3, random);
    expect_adjoint_is_exact<double>(grid, 2, random);
  }
}

TEST(HoughParity, HoldsOnRandomGrids) {
  test::Random random;
  for (int repeat = 0; repeat < 80; ++repeat) {
    const HoughGrid grid({random.integer(2, 60), random.integer(2, 60)}, random.integer(1, 40),
                         2 * random.integer(1, 70) + 1);
    expect_forward_is_exact<std::uint8_t, std::uint32_t>(grid, 2, 0, 255, random);
    expect_forward_is_exact<float, float>(grid, 2, -255, 255, random);
    expect_adjoint_is_exact<float>(grid, 2, random);
  }
}

TEST(HoughParity, HoldsOnThePapersGrid) {
  test::Random random;
  expect_forward_is_exact<std::uint8_t, std::uint32_t>(HoughGrid::paper(), 1, 0, 255, random);
  expect_forward_is_exact<float, float>(HoughGrid::paper(), 1, 0, 255, random);
  expect_adjoint_is_exact<float>(HoughGrid::paper(), 1, random);
}

// Sums of a row pass 2^16 from width 258 on.
TEST(HoughParity, HoldsForAllWhiteImages) {
  for (const int width : {256, 257, 258, 1024}) {
    const HoughGrid grid({width, 20}, 32, 63);  // T even: at pi/2 a bin holds whole rows
    const HoughTransform hough(grid);
    const std::size_t pixels = grid.frame().pixels();
    const std::vector<std::uint8_t> white(pixels, 255);
    const auto truth = reference::hough_forward(grid, white.data());
    const auto bytes = forward<std::uint8_t, std::uint32_t>(hough, white, 1);
    const auto floats = forward<float, float>(hough, std::vector<float>(pixels, 255.0F), 1);
    const auto doubles = forward<double, double>(hough, std::vector<double>(pixels, 255.0), 1);
    EXPECT_EQ(test::largest_error(bytes, truth), 0.0) << width;
    EXPECT_EQ(test::largest_error(floats, truth), 0.0) << width;
    EXPECT_EQ(test::largest_error(doubles, truth), 0.0) << width;
  }
}

// Columns of images beyond a megabyte are copied before they are read, some tiles at a time.
TEST(HoughParity, HoldsForLargeImages) {
  test::Random random;
  for (const HoughGrid& grid :
       {HoughGrid({640, 520}, 12, 33), HoughGrid({523, 601}, 9, 31), HoughGrid({31, 9001}, 7, 65),
        HoughGrid({129, 2100}, 8, 33), HoughGrid({2100, 136}, 8, 33)}) {
    expect_forward_is_exact<std::uint8_t, std::uint32_t>(grid, 3, 0, 255, random);
    expect_forward_is_exact<float, float>(grid, 1, 0, 20, random);
    expect_forward_is_exact<double, double>(grid, 1, -255, 255, random);
  }
}

TEST(HoughParity, HoldsWhereTheRunsAreNotKept) {
  test::Random random;
  for (const HoughGrid& grid :
       {HoughGrid({4096, 2}, 5, 101), HoughGrid({3, 4100}, 4, 33), HoughGrid({65540, 2}, 1, 33)}) {
    ASSERT_FALSE(BinEdges::worth_keeping(grid));
    expect_forward_is_exact<std::uint8_t, std::uint32_t>(grid, 1, 0, 255, random);
    expect_forward_is_exact<float, float>(grid, 1, -20, 20, random);
    expect_forward_is_exact<double, double>(grid, 2, -255, 255, random);
    expect_adjoint_is_exact<float>(grid, 1, random);
    expect_adjoint_is_exact<double>(grid, 2, random);
  }
}

TEST(HoughParity, AnEmptyBatchTouchesNothing) {
  const HoughTransform hough(HoughGrid({16, 16}, 8, 9));
  HoughScratch scratch;
  std::vector<float> none;
  EXPECT_NO_THROW(hough.forward(none, none, scratch));
  EXPECT_NO_THROW(hough.adjoint(none, none, scratch));
}

// The batch follows from the sizes, which must agree.
template <class Pixel, class Value>
void expect_rejects(const HoughTransform& hough, std::size_t pixels, std::size_t cells) {
  const std::vector<Pixel> images(pixels, 1);
  std::vector<Value> accumulators(cells, Value(77));
  HoughScratch scratch;
  EXPECT_TRUE(test::throws_error_with(
      {std::to_string(pixels) + " pixels", std::to_string(cells) + " cells"},
      [&] { hough.forward(images, accumulators, scratch); }));
  EXPECT_EQ(accumulators, std::vector<Value>(cells, Value(77))) << "nothing was written";
}

TEST(HoughParity, RejectsSizesThatDoNotAgree) {
  const HoughTransform hough(HoughGrid({16, 12}, 8, 9));
  constexpr std::size_t kPixels = 16 * 12;
  constexpr std::size_t kCells = 8 * 9;
  for (const auto& [pixels, cells] : {std::pair{kPixels, 2 * kCells},
                                      {2 * kPixels, kCells},
                                      {kPixels - 1, kCells},
                                      {kPixels, kCells + 1},
                                      {kPixels + 16, kCells},
                                      {0UL, kCells},
                                      {kPixels, 0UL},
                                      {kPixels / 2, kCells / 2}}) {
    expect_rejects<float, float>(hough, pixels, cells);
    expect_rejects<double, double>(hough, pixels, cells);
    expect_rejects<std::uint8_t, std::uint32_t>(hough, pixels, cells);
    const std::vector<float> accumulators(cells, 1.0F);
    std::vector<float> images(pixels, 77.0F);
    HoughScratch scratch;
    EXPECT_TRUE(test::throws_error_with(
        {std::to_string(pixels) + " pixels", std::to_string(cells) + " cells"},
        [&] { hough.adjoint(accumulators, images, scratch); }));
    EXPECT_EQ(images, std::vector<float>(pixels, 77.0F)) << "nothing was written";
  }
}

}  // namespace
}  // namespace vsmax
