// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/oriented_hough.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "support/moved_pixels.h"
#include "support/random.h"

namespace vsmax {
namespace {

using std::numbers::pi;

struct Votes {
  std::vector<float> votes;
  std::vector<float> squares;
};

Votes votes_of(const HoughGrid& grid, const std::vector<Gradient>& gradients) {
  Votes result{std::vector<float>(grid.cells()), std::vector<float>(grid.cells())};
  OrientedHough(grid).forward(gradients, result.votes, result.squares);
  return result;
}

std::vector<Gradient> random_gradients(test::Random& random, const ImageFrame& frame) {
  std::vector<Gradient> gradients(frame.pixels());
  for (Gradient& gradient : gradients)
    if (random.uniform() < 0.7)
      gradient = {static_cast<float>(random.normal()), static_cast<float>(random.normal())};
  return gradients;
}

std::vector<Gradient> scaled(std::vector<Gradient> gradients, float factor) {
  for (auto& [x, y] : gradients) {
    x *= factor;
    y *= factor;
  }
  return gradients;
}

// By its definition, in double: every pixel, every angle of the full circle.
void expect_reference(const HoughGrid& grid, const std::vector<Gradient>& gradients) {
  const CellShape shape = grid.shape();
  std::vector<double> votes(shape.count());
  std::vector<double> squares(shape.count());
  const double window =
      std::min(std::max(1.0, shape.thetas / 60.0), 0.5 * (shape.thetas - 1));  // 3 degrees
  for (int y = 0; y < grid.frame().height; ++y)
    for (int x = 0; x < grid.frame().width; ++x) {
      const auto [gx, gy] = gradients[grid.frame().index(x, y)];
      const double strength = std::hypot(static_cast<double>(gx), static_cast<double>(gy));
      if (strength == 0.0) continue;
      for (int t = 0; t < shape.thetas; ++t)
        for (const double sign : {1.0, -1.0}) {
          const double angle = std::atan2(sign * gy, sign * gx) - pi * t / shape.thetas;
          const double apart = std::abs(std::remainder(angle, 2.0 * pi)) / pi * shape.thetas;
          if (apart >= window) continue;
          const double vote = strength * (1.0 - apart / window);
          votes[shape.index({t, grid.bin(t, x, y)})] += sign * vote;
          squares[shape.index({t, grid.bin(t, x, y)})] += vote * vote;
        }
    }
  const Votes found = votes_of(grid, gradients);
  for (std::size_t i = 0; i < votes.size(); ++i) {
    EXPECT_NEAR(found.votes[i], votes[i], 1e-4) << i;
    EXPECT_NEAR(found.squares[i], squares[i], 1e-4) << i;
  }
}

TEST(OrientedHough, AgreesWithItsDefinition) {
  test::Random random;
  for (const HoughGrid& grid : {HoughGrid({31, 20}, 60, 31), HoughGrid({12, 33}, 127, 25),
                                HoughGrid({9, 9}, 7, 9), HoughGrid({8, 6}, 3, 5)})
    expect_reference(grid, random_gradients(random, grid.frame()));
}

TEST(OrientedHough, OfScaledGradientsIsScaled) {
  test::Random random;
  const HoughGrid grid({24, 18}, 40, 21);
  const auto gradients = random_gradients(random, grid.frame());
  const Votes once = votes_of(grid, gradients);
  const Votes twice = votes_of(grid, scaled(gradients, 2.0F));
  for (std::size_t i = 0; i < once.votes.size(); ++i) {
    EXPECT_FLOAT_EQ(twice.votes[i], 2.0F * once.votes[i]);
    EXPECT_FLOAT_EQ(twice.squares[i], 4.0F * once.squares[i]);
  }
}

// The negative image has the same edges with the opposite sign.
TEST(OrientedHough, ChangesItsSignWithTheImage) {
  test::Random random;
  const HoughGrid grid({24, 18}, 40, 21);
  const auto gradients = random_gradients(random, grid.frame());
  const Votes positive = votes_of(grid, gradients);
  const Votes negative = votes_of(grid, scaled(gradients, -1.0F));
  for (std::size_t i = 0; i < positive.votes.size(); ++i)
    EXPECT_NEAR(negative.votes[i], -positive.votes[i], 1e-5);
}

// (x, y) -> (-x, y): theta -> pi - theta, and the normal of T-t is the mirrored one.
TEST(OrientedHough, OfTheMirrorImageIsMirrored) {
  test::Random random;
  const HoughGrid grid({24, 18}, 40, 21);
  const ImageFrame frame = grid.frame();
  const auto gradients = random_gradients(random, frame);
  auto mirrored = test::mirrored(gradients, frame);
  for (auto& [x, y] : mirrored) x = -x;
  const Votes a = votes_of(grid, gradients);
  const Votes b = votes_of(grid, mirrored);
  for (int t = 1; t < grid.thetas(); ++t)
    for (int r = 0; r < grid.rhos(); ++r)
      EXPECT_NEAR(a.votes[grid.shape().index({t, r})],
                  b.votes[grid.shape().index({grid.thetas() - t, r})], 1e-4);
  // theta = 0 is its own mirror image, with rho and sign turned.
  for (int r = 0; r < grid.rhos(); ++r)
    EXPECT_NEAR(a.votes[grid.shape().index({0, r})],
                -b.votes[grid.shape().index({0, grid.rhos() - 1 - r})], 1e-4);
}

// By 90 degrees: (x, y) -> (-y, x), theta -> theta + pi/2; odd sides keep pixels off the ties.
TEST(OrientedHough, OfTheTurnedImageIsTurned) {
  test::Random random;
  const HoughGrid grid({23, 23}, 40, 21);
  const ImageFrame frame = grid.frame();
  const auto gradients = random_gradients(random, frame);
  auto turned = test::turned(gradients, frame);
  for (auto& [x, y] : turned) x = -std::exchange(y, x);
  const Votes a = votes_of(grid, gradients);
  const Votes b = votes_of(grid, turned);
  double moved = 0.0;
  double all = 0.0;
  for (int t = 0; t < grid.thetas(); ++t)
    for (int r = 0; r < grid.rhos(); ++r) {
      const Cell cell = grid.shape().across_seam({t + grid.thetas() / 2, r});
      const float sign = t + grid.thetas() / 2 < grid.thetas() ? 1.0F : -1.0F;
      moved +=
          std::abs(a.votes[grid.shape().index({t, r})] - sign * b.votes[grid.shape().index(cell)]);
      all += std::abs(a.votes[grid.shape().index({t, r})]);
    }
  EXPECT_LT(moved, 0.02 * all) << "only pixels midway between two bins may differ";
}

// An edge that turns through theta = 0 goes on voting in the row across the seam, with rho flipped.
TEST(OrientedHough, IsContinuousAcrossTheSeam) {
  const HoughGrid grid({64, 64}, 90, 65);
  const auto peak_of = [&](double theta) {
    std::vector<Gradient> gradients(grid.frame().pixels());
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        if (std::abs(grid.frame().x(x) * std::cos(theta) + grid.frame().y(y) * std::sin(theta) -
                     15.0) < 0.7)
          gradients[grid.frame().index(x, y)] = {static_cast<float>(std::cos(theta)),
                                                 static_cast<float>(std::sin(theta))};
    const Votes found = votes_of(grid, gradients);
    double highest = 0.0;
    for (const float vote : found.votes) highest = std::max<double>(highest, std::abs(vote));
    return highest;
  };
  const double middle = peak_of(0.0);
  EXPECT_GT(middle, 50.0);
  for (const double theta : {-0.01, 0.01, pi - 0.01, pi, pi + 0.01})
    EXPECT_NEAR(peak_of(theta), middle, 0.4 * middle) << theta;
}

TEST(OrientedHough, RefusesOtherSizes) {
  const HoughGrid grid({8, 6}, 5, 7);
  std::vector<float> votes(grid.cells());
  std::vector<float> squares(grid.cells());
  const std::vector<Gradient> gradients(47);
  EXPECT_THROW(OrientedHough(grid).forward(gradients, votes, squares), Error);
}

}  // namespace
}  // namespace vsmax
