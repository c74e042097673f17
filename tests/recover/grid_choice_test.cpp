// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/grid_choice.h"

#include <gtest/gtest.h>

#include "support/models.h"

namespace vsmax {
namespace {

TEST(GridChoice, OfTheArgmaxIsThePapersForEverySize) {
  const ModelSpec spec = named_spec("argmax");
  EXPECT_TRUE(grid_for(spec, {256, 256}) == HoughGrid::paper());
  EXPECT_TRUE(grid_for(spec, {40, 700}) == HoughGrid({40, 700}, 127, 127));
}

TEST(GridChoice, OfTheClassicHasBinsOfAboutAPixelAndAHalf) {
  const ModelSpec spec = named_spec("classic");
  for (const ImageFrame& frame : {ImageFrame{256, 256}, {64, 64}, {300, 200}, {97, 401}}) {
    const HoughGrid grid = grid_for(spec, frame);
    EXPECT_TRUE(grid.frame() == frame);
    EXPECT_NEAR(grid.bin_width(), 1.431, 0.05);
    EXPECT_GE(grid.thetas(), 127);
  }
  EXPECT_EQ(grid_for(spec, {256, 256}).rhos(), 253);
  EXPECT_EQ(grid_for(spec, {256, 256}).thetas(), 127);
}

TEST(GridChoice, StaysWithinItsBoundsForEverySize) {
  const ModelSpec spec = named_spec("classic");
  for (const int width : {2, 3, 5, 50, 1000, 30000})
    for (const int height : {2, 3, 5, 50, 1000, 30000}) {
      const HoughGrid grid = grid_for(spec, {width, height});
      EXPECT_GE(grid.rhos(), 3);
      EXPECT_LE(grid.rhos(), 509);
      EXPECT_LE(grid.thetas(), 255);
    }
}

TEST(GridChoice, KeepsTheBinsOfTheSpecAtTheImagesSize) {
  for (ModelSpec spec : named_specs()) {
    spec.frame.reset();
    spec.bins = {17, 31};
    EXPECT_TRUE(grid_for(spec, {50, 40}) == HoughGrid({50, 40}, 17, 31)) << spec.name;
  }
}

TEST(GridChoice, OfALearnedModelDoesNotDependOnTheImage) {
  for (const ImageFrame& image : {ImageFrame{24, 20}, {500, 400}, {2, 2}}) {
    EXPECT_TRUE(grid_for(test::small_spec(), image) == HoughGrid({24, 20}, 11, 13));
    EXPECT_TRUE(grid_for(named_spec("vsmax-vs"), image) == HoughGrid::paper());
  }
}

}  // namespace
}  // namespace vsmax
