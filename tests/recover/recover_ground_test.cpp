// SPDX-License-Identifier: Apache-2.0
// `default` finds thin lines on uneven ground that would outweigh them in the votes.
#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "support/edge_reference.h"
#include "support/refined_lines.h"
#include "support/ridge_reference.h"
#include "support/scenes.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

using std::numbers::pi;
using test::Ridge;

constexpr ImageFrame kGround{320, 240};

// A faint line on ground that rises and falls six times as much, with a little noise.
GrayImage faint_line(test::Random& random, const Ridge& ridge) {
  GrayImage image = test::image_of_ridge(kGround, ridge);
  test::add_noise(image, 0.02, random);
  return image;
}

Ridge any_faint_line(test::Random& random) {
  return {{random.uniform(0.0, pi), random.uniform(-50.0, 50.0)},
          random.uniform(1.5, 4.0),
          random.integer(0, 1) == 1 ? 0.15 : -0.15};
}

TEST(RecoverGround, FindsLinesOnUnevenGround) {
  test::Random random;
  LineRecoverer recover(load_model("default"));
  for (int i = 0; i < 20; ++i) {
    const Ridge ridge = any_faint_line(random);
    const Recovery found = recover(faint_line(random, ridge), {LinesWanted::kAuto, 0.5});
    ASSERT_EQ(found.lines.size(), 1U) << ridge.line.theta << ", " << ridge.line.rho;
    test::expect_near(found.lines[0].line, ridge.line, 0.05, 0.2, kGround);
  }
}

TEST(RecoverGround, FindsSeveralOfThemAndEachOnce) {
  test::Random random;
  const GrayImage ground = test::image_of_ridge(kGround, {{0.0, 0.0}, 1.0, 0.0});
  const std::vector<PixelLine> lines{{0.02, 30.0}, {3.1, 60.0}, {1.3, -20.0}};
  GrayImage image = ground;
  for (const PixelLine line : lines) {
    const GrayImage with = test::image_of_ridge(kGround, {line, 2.0, 0.2});
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      image.pixels[i] += with.pixels[i] - ground.pixels[i];
  }
  test::add_noise(image, 0.02, random);
  const Recovery found = LineRecoverer(load_model("default"))(image, {LinesWanted::kAuto, 0.5});
  ASSERT_EQ(found.lines.size(), lines.size());
  for (const PixelLine line : lines) {
    int near = 0;
    for (const RecoveredLine& other : found.lines)
      if (angle_between(other.line.theta, line.theta) < 0.1 * test::kDegree &&
          test::shift_between(other.line, line, kGround) < 0.3)
        ++near;
    EXPECT_EQ(near, 1) << line.theta;
  }
}

TEST(RecoverGround, AStrongLineHidesNoFaintOne) {
  test::Random random;
  LineRecoverer recover(load_model("default"));
  const PixelLine faint{1.3, -20.0};
  const PixelLine strong{0.4, 30.0};
  const GrayImage ground = test::image_of_ridge(kGround, {strong, 2.0, 0.0});
  for (const double height : {0.0, 0.2, 0.5, 1.0, 2.0}) {
    GrayImage image = test::image_of_ridge(kGround, {faint, 2.0, 0.15});
    const GrayImage with = test::image_of_ridge(kGround, {strong, 2.0, height});
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      image.pixels[i] += with.pixels[i] - ground.pixels[i];
    test::add_noise(image, 0.02, random);
    const Recovery found = recover(image, {LinesWanted::kAuto, 0.5});
    EXPECT_EQ(found.lines.size(), height == 0.0 ? 1U : 2U) << height;
  }
}

TEST(RecoverGround, MinConfidenceOnlyLeavesLinesOut) {
  test::Random random;
  LineRecoverer recover(load_model("default"));
  for (int i = 0; i < 4; ++i) {
    const GrayImage image =
        i % 2 == 0 ? faint_line(random, any_faint_line(random)) : test::clouds(random, kGround);
    const Recovery all = recover(image, {LinesWanted::kAuto, 0.0});
    for (const double least : {0.3, 0.6, 0.95}) {
      const Recovery some = recover(image, {LinesWanted::kAuto, least});
      std::size_t wanted = 0;
      while (wanted < all.lines.size() && all.lines[wanted].confidence >= least) ++wanted;
      ASSERT_EQ(some.lines.size(), wanted);
      for (std::size_t k = 0; k < wanted; ++k) EXPECT_EQ(some.lines[k].line, all.lines[k].line);
    }
  }
}

TEST(RecoverGround, SeesNoLinesInTheGroundItself) {
  test::Random random;
  LineRecoverer recover(load_model("default"));
  GrayImage waves = test::image_of_ridge(kGround, {{0.0, 0.0}, 1.0, 0.0});
  test::add_noise(waves, 0.02, random);
  EXPECT_TRUE(recover(waves, {LinesWanted::kAuto, 0.5}).lines.empty());
  int seen = 0;
  for (int i = 0; i < 20; ++i)
    for (const auto scene : {test::clouds, test::blobs, test::gradient})
      if (!recover(scene(random, kGround), {LinesWanted::kAuto, 0.2}).lines.empty()) ++seen;
  EXPECT_LE(seen, 1);
}

}  // namespace
}  // namespace vsmax
