// SPDX-License-Identifier: Apache-2.0
// The model `edges`: steps between a brighter and a darker area.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "support/moved_pixels.h"
#include "support/scenes.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

using std::numbers::pi;

TEST(Edges, FindsStepsOfEveryDirectionAndSize) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  double confidence = 0.0;
  for (const ImageFrame frame : {ImageFrame{256, 256}, {90, 120}, {640, 400}})
    for (const double theta : {0.0, 0.003, 0.7, pi / 2, 2.3, pi - 0.003})
      for (const double share : {-0.5, 0.02, 0.4}) {
        const PixelLine line{theta, share * frame.reach(std::cos(theta), std::sin(theta))};
        const auto found = recover(test::step(random, frame, line)).lines.at(0);
        EXPECT_GT(ea_score(found.line, line, frame), 0.88) << theta << ", " << share;
        confidence += found.confidence;
      }
  EXPECT_GT(confidence / (3 * 6 * 3), 0.9);
}

// Up to the grid, which has no symmetry of 90 degrees.
TEST(Edges, TurnsAndMirrorsWithTheImage) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{128, 128};
  for (const PixelLine line : {PixelLine{0.4, 20.0}, {1.9, -30.0}, {3.0, 11.0}}) {
    const GrayImage image = test::step(random, frame, line);
    const GrayImage turned = test::turned(image);
    const GrayImage mirrored = test::mirrored(image);
    const PixelLine found = recover(image).lines.at(0).line;
    EXPECT_GT(ea_score(recover(turned).lines.at(0).line, {found.theta + pi / 2, found.rho}, frame),
              0.97);
    EXPECT_GT(
        ea_score(recover(mirrored).lines.at(0).line, {pi - found.theta, -found.rho}, frame) +
            ea_score(recover(mirrored).lines.at(0).line, {pi - found.theta, found.rho}, frame),
        0.97);
  }
}

TEST(Edges, DoNotDependOnWhichSideIsBright) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  const ImageFrame frame{128, 100};
  GrayImage image = test::step(random, frame, {1.2, 14.0});
  const auto bright = recover(image).lines.at(0);
  for (float& value : image.pixels) value = 1.0F - value;
  const auto dark = recover(image).lines.at(0);
  EXPECT_GT(ea_score(bright.line, dark.line, frame), 0.999);
  EXPECT_NEAR(bright.confidence, dark.confidence, 1e-2);
}

TEST(Edges, AreNotTrustedWhereThereIsNoStep) {
  test::Random random;
  LineRecoverer recover(load_model("edges"));
  int trusting = 0;
  for (int i = 0; i < 20; ++i)
    for (const auto scene :
         {test::white_noise, test::clouds, test::blobs, test::gradient, test::texture}) {
      const auto found = recover(scene(random, {200, 160})).lines;
      if (!found.empty() && found[0].confidence > 0.2) ++trusting;
    }
  EXPECT_LE(trusting, 5);
}

TEST(Edges, OfTinyAndFlatImagesAreNone) {
  LineRecoverer recover(load_model("edges"));
  EXPECT_TRUE(recover(GrayImage(30, 20, 0.4F)).lines.empty());
  GrayImage tiny(2, 2);
  tiny.at(1, 0) = 1.0F;
  EXPECT_TRUE(recover(tiny).lines.empty());
}

}  // namespace
}  // namespace vsmax
