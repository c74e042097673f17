// SPDX-License-Identifier: Apache-2.0
// On images that are not integers, the error of the float transform is at most twice that of adding
// the pixels one by one in float; both are measured against double.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/hough_images.h"
#include "support/hough_reference.h"
#include "support/largest_error.h"
#include "support/random.h"
#include "vsmax/hough/hough.h"

namespace vsmax {
namespace {

struct Content {
  std::string name;
  std::vector<float> values;
};

std::vector<Content> contents(std::size_t count, test::Random& random) {
  return {{"uniform", random.uniforms<float>(count)},
          {"Gaussian of mean 0", random.normals<float>(count)},
          {"1000 and noise", random.normals<float>(count, 1000.0, 1.0)}};
}

const std::vector<HoughGrid>& square_and_other_grids() {
  static const std::vector<HoughGrid> grids{
      {{64, 64}, 32, 63}, {{200, 64}, 31, 65}, {{64, 200}, 31, 65}, {{97, 61}, 20, 201},
      {{301, 9}, 15, 51}, {{9, 301}, 15, 51},  {{128, 128}, 63, 91}};
  return grids;
}

// The largest errors of one kind of content, over several images: one lucky sum must not decide.
struct Errors {
  double fast = 0.0;
  double plain = 0.0;
};
using ErrorsByContent = std::map<std::string, Errors>;
constexpr int kImages = 4;

void expect_at_most_twice(const ErrorsByContent& errors, const HoughGrid& grid) {
  for (const auto& [name, error] : errors)
    EXPECT_LE(error.fast, 2.0 * error.plain) << test::name_of(grid) << ", " << name;
}

void expect_forward_at_most_twice(const HoughGrid& grid, test::Random& random,
                                  int images = kImages) {
  const HoughTransform hough(grid);
  const reference::Votes votes(grid);
  HoughScratch scratch;
  ErrorsByContent errors;
  std::vector<float> fast(grid.cells());
  for (int repeat = 0; repeat < images; ++repeat)
    for (const auto& [name, image] : contents(grid.frame().pixels(), random)) {
      const auto truth = votes.forward(image.data());
      const auto plain = votes.forward<float>(image.data());
      hough.forward(image, fast, scratch);
      Errors& error = errors[name];
      error.fast = std::max(error.fast, test::largest_error(fast, truth));
      error.plain = std::max(error.plain, test::largest_error(plain, truth));
    }
  expect_at_most_twice(errors, grid);
}

TEST(HoughAccuracy, OfForwardIsAtMostTwiceThatOfPlainSums) {
  test::Random random;
  for (const auto& grid : square_and_other_grids()) expect_forward_at_most_twice(grid, random);
}

TEST(HoughAccuracy, OfForwardHoldsOnThePapersGrid) {
  test::Random random;
  expect_forward_at_most_twice(HoughGrid::paper(), random, 1);  // the largest of 16,129 errors
}

// At theta = 0 no bin holds a whole row, so that the error of long prefix sums shows.
TEST(HoughAccuracy, OfForwardHoldsWhereBinsAreSmallAndRowsAreLong) {
  test::Random random;
  for (const HoughGrid& grid :
       {HoughGrid({300, 2}, 1, 101), HoughGrid({1000, 4}, 1, 999), HoughGrid({256, 256}, 1, 257),
        HoughGrid({2000, 3}, 1, 4001), HoughGrid({400, 5}, 3, 401), HoughGrid({2000, 20}, 15, 1001),
        HoughGrid({2000, 2}, 31, 2001), HoughGrid({1083, 4}, 4, 301), HoughGrid({4, 1083}, 4, 301),
        HoughGrid({900, 6}, 9, 63)})
    expect_forward_at_most_twice(grid, random);
}

void expect_adjoint_at_most_twice(const HoughGrid& grid, test::Random& random,
                                  int images = kImages) {
  const HoughTransform hough(grid);
  const reference::Votes votes(grid);
  HoughScratch scratch;
  ErrorsByContent errors;
  std::vector<float> fast(grid.frame().pixels());
  for (int repeat = 0; repeat < images; ++repeat)
    for (const auto& [name, accumulator] : contents(grid.cells(), random)) {
      const auto truth = votes.adjoint(accumulator.data());
      const auto plain = votes.adjoint<float>(accumulator.data());
      hough.adjoint(accumulator, fast, scratch);
      Errors& error = errors[name];
      error.fast = std::max(error.fast, test::largest_error(fast, truth));
      error.plain = std::max(error.plain, test::largest_error(plain, truth));
    }
  expect_at_most_twice(errors, grid);
}

TEST(HoughAccuracy, OfAdjointIsAtMostTwiceThatOfPlainSums) {
  test::Random random;
  for (const auto& grid : square_and_other_grids()) expect_adjoint_at_most_twice(grid, random);
}

TEST(HoughAccuracy, OfAdjointHoldsOnThePapersGrid) {
  test::Random random;
  expect_adjoint_at_most_twice(HoughGrid::paper(), random, 1);  // the largest of 65,536 errors
}

// Few angles leave plain addition little to err by; long lines leave running sums much.
TEST(HoughAccuracy, OfAdjointHoldsWhereAnglesAreFewAndLinesAreLong) {
  test::Random random;
  for (const HoughGrid& grid :
       {HoughGrid({300, 300}, 2, 101), HoughGrid({700, 3}, 5, 301), HoughGrid({3, 700}, 5, 301),
        HoughGrid({252, 100}, 63, 301), HoughGrid({600, 40}, 127, 99)})
    expect_adjoint_at_most_twice(grid, random);
}

// Many steps then meet at one pixel.
TEST(HoughAccuracy, OfAdjointHoldsWhereBinsAreNarrow) {
  test::Random random;
  for (const HoughGrid& grid :
       {HoughGrid({48, 29}, 85, 381), HoughGrid({64, 64}, 127, 127), HoughGrid({48, 64}, 17, 301),
        HoughGrid({97, 101}, 61, 251), HoughGrid({128, 128}, 255, 255)})
    expect_adjoint_at_most_twice(grid, random);
}

TEST(HoughAccuracy, OfDoubleIsAFewRoundings) {
  test::Random random;
  for (const auto& grid : square_and_other_grids()) {
    const HoughTransform hough(grid);
    HoughScratch scratch;
    const auto image = random.normals<double>(grid.frame().pixels(), 10.0);
    std::vector<double> accumulator(grid.cells());
    hough.forward(image, accumulator, scratch);
    EXPECT_LT(test::largest_error(accumulator, reference::hough_forward(grid, image.data())), 1e-8);
    std::vector<double> back(image.size());
    hough.adjoint(accumulator, back, scratch);
    EXPECT_LT(test::largest_error(back, reference::hough_adjoint(grid, accumulator.data())), 1e-7);
  }
}

}  // namespace
}  // namespace vsmax
