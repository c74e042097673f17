// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

std::vector<std::uint32_t> permutation(std::uint64_t seed, Split split, std::uint32_t epoch,
                                       std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i)
    order[i] = permuted_index({seed, split, epoch, i}, count);
  return order;
}

TEST(Permutation, HitsEveryIndexOnce) {
  for (const std::uint32_t count : {1U, 2U, 3U, 4U, 5U, 16U, 17U, 63U, 64U, 65U, 1000U, 14395U})
    for (const std::uint32_t epoch : {0U, 1U, 4000000000U}) {
      auto order = permutation(42, Split::kTrain, epoch, count);
      std::sort(order.begin(), order.end());
      std::vector<std::uint32_t> all(count);
      std::iota(all.begin(), all.end(), 0U);
      ASSERT_EQ(order, all) << count << " in epoch " << epoch;
    }
}

TEST(Permutation, DiffersByEpochSplitAndSeed) {
  for (const std::uint32_t count : {1000U, 14395U}) {
    const auto base = permutation(42, Split::kTrain, 0, count);
    EXPECT_EQ(permutation(42, Split::kTrain, 0, count), base);
    for (const auto& other :
         {permutation(42, Split::kTrain, 1, count), permutation(42, Split::kValidation, 0, count),
          permutation(42, Split::kTest, 0, count), permutation(43, Split::kTrain, 0, count)}) {
      int equal = 0;  // about one fixed point is expected of a random permutation
      for (std::size_t i = 0; i < count; ++i) equal += other[i] == base[i] ? 1 : 0;
      EXPECT_LT(equal, 10);
    }
  }
}

TEST(Permutation, OfTwoTakesBothOrders) {
  int swapped = 0;
  for (std::uint32_t epoch = 0; epoch < 200; ++epoch)
    swapped += permuted_index({1, Split::kTrain, epoch, 0}, 2) == 1 ? 1 : 0;
  EXPECT_NEAR(swapped, 100, 36);  // five deviations of a fair coin
}

TEST(Permutation, ScattersNeighbours) {
  const auto order = permutation(42, Split::kTrain, 0, 14395);
  // The correlation of place and index, and of neighbours, within five deviations of none.
  const double n = 14395.0;
  const double mean = (n - 1.0) / 2.0;
  const double variance = (n * n - 1.0) / 12.0;
  double with_index = 0.0;
  double with_next = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    with_index += (order[i] - mean) * (static_cast<double>(i) - mean) / (n * variance);
    with_next += (order[i] - mean) * (order[(i + 1) % order.size()] - mean) / (n * variance);
  }
  EXPECT_NEAR(with_index, 0.0, 5.0 / std::sqrt(n));
  EXPECT_NEAR(with_next, 0.0, 5.0 / std::sqrt(n));
}

TEST(Permutation, SendsEachIndexEverywhereOverTheEpochs) {
  constexpr std::uint32_t kCount = 10;
  constexpr std::uint32_t kEpochs = 5000;
  for (const std::uint32_t index : {0U, 4U, 9U}) {
    std::vector<double> hits(kCount);
    for (std::uint32_t epoch = 0; epoch < kEpochs; ++epoch)
      hits[permuted_index({8, Split::kTrain, epoch, index}, kCount)] += 1.0;
    double chi_square = 0.0;
    for (const double hit : hits) chi_square += (hit - 500.0) * (hit - 500.0) / 500.0;
    EXPECT_LT(chi_square, 9.0 + 5.0 * std::sqrt(18.0)) << index;
  }
}

TEST(Permutation, WorksUpToTheLargestCounts) {
  for (const std::uint32_t count : {0x7FFFFFFFU, 0x80000001U, 0xFFFFFFFFU})
    for (const std::uint32_t index : {0U, 12345U, count - 1U})
      EXPECT_LT(permuted_index({42, Split::kTrain, 0, index}, count), count);
}

}  // namespace
}  // namespace vsmax
