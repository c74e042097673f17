// SPDX-License-Identifier: Apache-2.0
// A line near a ridge is moved onto it, whatever the ground is like; a line without one stays where
// it is.
#include "vsmax/recover/ridge_refinement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/models.h"
#include "support/moved_pixels.h"
#include "support/random.h"
#include "support/ridge_reference.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

using std::numbers::pi;
using test::any_start;
using test::expect_near;
using test::kDegree;
using test::kRefinedSize;
using test::Ridge;

constexpr double kReach = 8.0;  // farther than any_start is off

PixelLine onto_ridge(const ImageView& image, PixelLine line, bool dark = false,
                     double reach = kReach) {
  return RidgeRefinement()(image, line, dark, reach);
}

Ridge any_ridge(test::Random& random, const ImageFrame& frame = kRefinedSize) {
  const double reach = 0.2 * frame.height;
  return {{random.uniform(0.0, pi), random.uniform(-reach, reach)},
          random.uniform(1.0, 6.0),
          random.uniform(0.1, 0.3)};
}

TEST(RidgeRefinement, FindsThinLinesInAllDirections) {
  test::Random random;
  RidgeRefinement refinement;
  for (int i = 0; i < 60; ++i) {
    const Ridge ridge = any_ridge(random);
    const GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
    expect_near(refinement(image, any_start(random, ridge.line), false, kReach), ridge.line, 0.03,
                0.1);
  }
}

TEST(RidgeRefinement, FindsThinLinesAtAndNearTheSeam) {
  for (const double theta : {0.0, 0.001, pi - 0.001, pi / 2.0})
    for (const double turn : {-1.0, 1.0}) {
      const Ridge ridge{{theta, 20.3}};
      const GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
      expect_near(onto_ridge(image, test::moved(ridge.line, turn * kDegree, 2.0)), ridge.line, 0.02,
                  0.1);
    }
}

TEST(RidgeRefinement, FindsDarkLinesIfAsked) {
  test::Random random;
  Ridge ridge = any_ridge(random);
  ridge.height = -ridge.height;
  const GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
  const PixelLine start = test::moved(ridge.line, 0.5 * kDegree, 2.0);
  expect_near(onto_ridge(image, start, true), ridge.line, 0.03, 0.1);
}

// Half of the profiles meet a spot that is ten times as bright as the line.
TEST(RidgeRefinement, BrightSpotsDoNotOutweighALine) {
  test::Random random;
  for (int i = 0; i < 10; ++i) {
    const Ridge ridge{any_ridge(random).line, 2.0, 0.1};
    GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
    const int spots = static_cast<int>(kRefinedSize.pixels()) / 50;
    for (int spot = 0; spot < spots; ++spot)
      image.at(random.integer(0, kRefinedSize.width - 1),
               random.integer(0, kRefinedSize.height - 1)) += 1.0F;
    expect_near(onto_ridge(image, any_start(random, ridge.line)), ridge.line, 0.15, 0.4);
  }
}

// A fifth of the line is enough, and noise of half its height.
TEST(RidgeRefinement, FindsNoisyPieces) {
  test::Random random;
  for (int i = 0; i < 10; ++i) {
    const Ridge ridge{{random.uniform(1.2, 1.9), random.uniform(-20.0, 20.0)}, 2.0, 0.3};
    GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
    const GrayImage ground = test::image_of_ridge(kRefinedSize, {ridge.line, 2.0, 0.0});
    for (int row = 0; row < kRefinedSize.height; ++row)
      for (int column = kRefinedSize.width / 2; column < kRefinedSize.width; ++column)
        image.at(column, row) = ground.at(column, row);
    test::add_noise(image, 0.15, random);
    expect_near(onto_ridge(image, any_start(random, ridge.line)), ridge.line, 0.6, 1.0);
  }
}

TEST(RidgeRefinement, AgreesWithTheReference) {
  test::Random random;
  int moved = 0;
  for (int i = 0; i < 6; ++i) {
    Ridge ridge = any_ridge(random);
    const bool dark = i % 2 == 1;
    if (dark) ridge.height = -ridge.height;
    GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
    test::add_noise(image, random.uniform(0.0, 0.2), random);
    const PixelLine start = any_start(random, ridge.line);
    const double reach = random.uniform(5.0, 9.0);
    const PixelLine found = onto_ridge(image, start, dark, reach);
    const PixelLine expected = test::reference_on_ridge(image, start, dark, reach);
    EXPECT_NEAR(found.theta, expected.theta, 1e-6);
    EXPECT_NEAR(found.rho, expected.rho, 1e-4);
    if (found.theta != start.theta) ++moved;
  }
  EXPECT_GT(moved, 3);
}

TEST(RidgeRefinement, MirrorsAndTurnsWithTheImage) {
  test::Random random;
  for (int i = 0; i < 5; ++i) {
    const Ridge ridge = any_ridge(random);
    GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
    test::add_noise(image, 0.05, random);
    const PixelLine start = any_start(random, ridge.line);
    const PixelLine found = onto_ridge(image, start);
    const PixelLine in_mirror =
        onto_ridge(test::mirrored(image), canonical(PixelLine{pi - start.theta, start.rho}));
    expect_near(in_mirror, canonical(PixelLine{pi - found.theta, found.rho}), 1e-3, 1e-3);
    const GrayImage turned = test::turned(image);
    const PixelLine after_turn = onto_ridge(turned, test::moved(start, pi / 2.0, 0.0));
    expect_near(after_turn, test::moved(found, pi / 2.0, 0.0), 1e-3, 1e-3, turned.frame());
  }
}

TEST(RidgeRefinement, DoesNotDependOnContrast) {
  test::Random random;
  const Ridge ridge = any_ridge(random);
  GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
  test::add_noise(image, 0.05, random);
  const PixelLine start = any_start(random, ridge.line);
  const PixelLine found = onto_ridge(image, start);
  for (const double factor : {-1.0, 1e-4, -1000.0}) {
    GrayImage other = image;
    for (float& value : other.pixels) value = static_cast<float>(factor * value);
    expect_near(onto_ridge(other, start, factor < 0.0), found, 1e-3, 1e-3);
  }
}

TEST(RidgeRefinement, LeavesALineWithoutARidgeAlone) {
  test::Random random;
  GrayImage noise(kRefinedSize, 0.5F);
  EXPECT_EQ(onto_ridge(noise, {1.0, 7.0}), (PixelLine{1.0, 7.0}));
  test::add_noise(noise, 0.2, random);
  for (int i = 0; i < 100; ++i) {
    const PixelLine line{random.uniform(0.0, pi), random.uniform(-60.0, 60.0)};
    EXPECT_EQ(onto_ridge(noise, line), line);
  }
}

TEST(RidgeRefinement, LeavesALineAloneWhoseRidgeIsFarAway) {
  test::Random random;
  const PixelLine line{1.5, 0.0};
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  GrayImage image(kRefinedSize);
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column)
      image.at(column, row) =
          std::abs(image.frame().x(column) * c + image.frame().y(row) * s) < 1.0 ? 1.0F : 0.0F;
  test::add_noise(image, 0.1, random);
  for (const double shift : {-14.0, 14.0}) {
    const PixelLine far = test::moved(line, 0.0, shift);
    EXPECT_EQ(onto_ridge(image, far), far);
  }
}

TEST(RidgeRefinement, EndsForEveryLineAndImage) {
  test::Random random;
  for (const ImageFrame frame : {ImageFrame{2, 2}, {3, 400}, {400, 3}, {64, 48}, {60, 60}}) {
    GrayImage image(frame);
    test::add_noise(image, 1.0, random);
    const double most = frame.half_diagonal();
    for (int i = 0; i < 50; ++i) {
      const PixelLine line{random.uniform(0.0, pi), random.uniform(-most, most)};
      const PixelLine found = onto_ridge(image, line, i % 2 == 1, random.uniform(0.1, 30.0));
      EXPECT_LE(std::abs(found.rho), most);
    }
    for (const double rho : {frame.half_height(), -frame.half_height()})  // along the border
      EXPECT_TRUE(std::isfinite(onto_ridge(image, {pi / 2.0, rho}).rho));
  }
}

// `default` places a line on uneven ground, where the posterior does not hold, far more precisely
// than its grid, whose bins are 1.4 pixels and degrees wide or wider.
TEST(RidgeRefinement, PlacesTheLinesOfDefault) {
  test::Random random;
  LineRecoverer recover(load_model("default"));
  for (int i = 0; i < 6; ++i) {
    Ridge ridge{any_ridge(random).line, 2.0, i % 2 == 0 ? 1.5 : -1.5};
    const GrayImage image = test::image_of_ridge(kRefinedSize, ridge);
    for (const LinesWanted& wanted : {LinesWanted{}, LinesWanted{LinesWanted::kAuto, 0.5}}) {
      const Recovery found = recover(image, wanted);
      ASSERT_FALSE(found.lines.empty());
      EXPECT_FALSE(found.lines.front().spread);
      expect_near(found.lines.front().line, ridge.line, 0.03, 0.1);
    }
  }
}

}  // namespace
}  // namespace vsmax
