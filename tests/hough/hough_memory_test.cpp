// SPDX-License-Identifier: Apache-2.0
// Scratch memory, sharing, and sums that would not fit 32 bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "support/error_message.h"
#include "support/hough_images.h"
#include "support/hough_reference.h"
#include "support/largest_error.h"
#include "support/random.h"
#include "vsmax/hough/hough.h"

namespace vsmax {
namespace {

TEST(HoughScratch, IsAlignedAndAsLargeAsRequested) {
  HoughScratch scratch;
  for (const std::size_t bytes : {1UL, 64UL, 100UL, 100000UL, 10UL, 100001UL}) {
    auto* memory = static_cast<unsigned char*>(scratch.reserve(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    memory[0] = 1;
    memory[bytes - 1] = 1;  // the address sanitizer watches
  }
}

TEST(HoughScratch, CarriesNothingFromOneCallToTheNext) {
  test::Random random;
  HoughScratch shared;
  for (int round = 0; round < 2; ++round)
    for (const auto& grid : test::many_grids()) {
      const HoughTransform hough(grid);
      const auto image = random.normals<float>(grid.frame().pixels());
      const std::vector<double> wide(image.begin(), image.end());
      const auto bytes = random.integers<std::uint8_t>(image.size(), 0, 255);
      std::vector<float> float_a(grid.cells()), float_b(grid.cells());
      std::vector<double> double_a(grid.cells()), double_b(grid.cells());
      std::vector<std::uint32_t> byte_a(grid.cells()), byte_b(grid.cells());
      std::vector<float> back_a(image.size()), back_b(image.size());

      hough.forward(image, float_a, shared);
      hough.forward(wide, double_a, shared);
      hough.adjoint(float_a, back_a, shared);
      hough.forward(bytes, byte_a, shared);

      HoughScratch fresh[4];
      hough.forward(image, float_b, fresh[0]);
      hough.forward(wide, double_b, fresh[1]);
      hough.adjoint(float_b, back_b, fresh[2]);
      hough.forward(bytes, byte_b, fresh[3]);

      EXPECT_EQ(float_a, float_b) << test::name_of(grid);
      EXPECT_EQ(double_a, double_b) << test::name_of(grid);
      EXPECT_EQ(back_a, back_b) << test::name_of(grid);
      EXPECT_EQ(byte_a, byte_b) << test::name_of(grid);
    }
}

// Rows that a tile lacks have empty runs; whatever the memory held must not matter, not even NaN.
TEST(HoughScratch, CarriesNoNaNFromOneCallToTheNext) {
  test::Random random;
  for (const auto& grid : test::many_grids()) {
    const HoughTransform hough(grid);
    HoughScratch poisoned;
    const std::size_t bytes =
        64 * (grid.cells() + 8 * static_cast<std::size_t>(grid.frame().width + 1));
    std::memset(poisoned.reserve(bytes), 0xFF, bytes);  // every float and double in it is NaN
    const auto image = random.integers<float>(grid.frame().pixels(), 0, 9);
    std::vector<float> accumulator(grid.cells());
    hough.forward(image, accumulator, poisoned);
    EXPECT_EQ(test::largest_error(accumulator, reference::hough_forward(grid, image.data())), 0.0)
        << test::name_of(grid);
    std::memset(poisoned.reserve(bytes), 0xFF, bytes);
    std::vector<float> back(image.size());
    hough.adjoint(accumulator, back, poisoned);
    EXPECT_EQ(test::largest_error(back, reference::hough_adjoint(grid, accumulator.data())), 0.0)
        << test::name_of(grid);
  }
}

TEST(HoughTransform, GivesTheSameToEveryImageOfABatch) {
  test::Random random;
  const HoughTransform hough(HoughGrid({50, 40}, 25, 41));
  const std::size_t pixels = 50 * 40;
  const std::size_t cells = hough.grid().cells();
  const auto one = random.normals<float>(pixels);
  std::vector<float> images;
  for (int copies = 0; copies < 5; ++copies) images.insert(images.end(), one.begin(), one.end());
  std::vector<float> accumulators(5 * cells);
  HoughScratch scratch;
  hough.forward(images, accumulators, scratch);
  for (std::size_t i = cells; i < accumulators.size(); ++i)
    ASSERT_EQ(accumulators[i], accumulators[i - cells]);
}

TEST(HoughTransform, CanBeSharedBetweenThreads) {
  test::Random random;
  const HoughTransform hough(HoughGrid({60, 45}, 31, 63));
  const auto image = random.normals<float>(60 * 45);
  std::vector<std::vector<float>> results(3, std::vector<float>(hough.grid().cells()));
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&] {
      HoughScratch scratch;
      for (int repeat = 0; repeat < 20; ++repeat) hough.forward(image, result, scratch);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

// 65,537 x 257 white pixels in one bin sum to 2^32 - 1, the largest that fits.
TEST(HoughOverflow, TheLargestSumOf32BitsIsExact) {
  const HoughGrid grid({65537, 257}, 2, 3);
  const HoughTransform hough(grid);
  std::vector<std::uint8_t> white(grid.frame().pixels(), 255);
  std::vector<std::uint32_t> accumulator(grid.cells());
  HoughScratch scratch;
  hough.forward(white, accumulator, scratch);
  EXPECT_EQ(accumulator[3 + 1], 4294967295U);  // theta = pi/2, all rows in the middle bin
  white[12345] = 0;
  hough.forward(white, accumulator, scratch);
  EXPECT_EQ(accumulator[3 + 1], 4294967295U - 255U);
}

TEST(HoughOverflow, IsAnErrorThatNamesThePixels) {
  const HoughGrid grid({65537, 258}, 2, 3);
  const HoughTransform hough(grid);
  const std::vector<std::uint8_t> black(grid.frame().pixels(), 0);
  std::vector<std::uint32_t> accumulator(grid.cells());
  HoughScratch scratch;
  EXPECT_TRUE(test::throws_error_with({std::to_string(65537 * 258)},
                                      [&] { hough.forward(black, accumulator, scratch); }));
}

TEST(HoughOverflow, AllowsLargeImagesWithSmallBins) {
  const HoughGrid grid({65537, 258}, 2, 2001);
  const HoughTransform hough(grid);
  const std::vector<std::uint8_t> white(grid.frame().pixels(), 255);
  std::vector<std::uint32_t> accumulator(grid.cells());
  HoughScratch scratch;
  EXPECT_NO_THROW(hough.forward(white, accumulator, scratch));
  double mass = 0.0;
  for (std::size_t r = 0; r < 2001; ++r) mass += accumulator[r];
  EXPECT_EQ(mass, 255.0 * 65537.0 * 258.0);
}

}  // namespace
}  // namespace vsmax
