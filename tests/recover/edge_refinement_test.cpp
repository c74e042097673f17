// SPDX-License-Identifier: Apache-2.0
// A line near an edge is moved onto it; a line without an edge stays where it is.
#include "vsmax/recover/edge_refinement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "support/edge_reference.h"
#include "support/models.h"
#include "support/moved_pixels.h"
#include "support/random.h"
#include "vsmax/evidence/learned_evidence.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

using std::numbers::pi;
using test::any_start;
using test::Edge;
using test::expect_near;
using test::kDegree;
using test::kRefinedSize;

constexpr double kReduction = 2.0;

PixelLine onto_edge(const ImageView& image, PixelLine line, double reduction = kReduction) {
  return EdgeRefinement()(image, line, reduction, 0.5);
}

// In any direction, near the centre, of either polarity.
Edge any_edge(test::Random& random, const ImageFrame& frame = kRefinedSize) {
  const double reach = 0.15 * frame.height;
  Edge edge{{random.uniform(0.0, pi), random.uniform(-reach, reach)},
            random.uniform(0.1, 0.4),
            random.uniform(0.5, 0.9),
            random.uniform(0.5, 1.2)};
  if (random.integer(0, 1) == 1) std::swap(edge.before, edge.after);
  return edge;
}

// An edge, its image with noise, and a line near the edge to start from.
struct Scene {
  Edge edge;
  GrayImage image;
  PixelLine start;
};

Scene any_scene(test::Random& random, double noise) {
  const Edge edge = any_edge(random);
  GrayImage image = test::image_of_edge(kRefinedSize, edge);
  test::add_noise(image, noise, random);
  return {edge, image, any_start(random, edge.line)};
}

void expect_same_line(PixelLine a, PixelLine b) {
  EXPECT_EQ(a.theta, b.theta);
  EXPECT_EQ(a.rho, b.rho);
}

TEST(EdgeRefinement, FindsEdgesInAllDirections) {
  test::Random random;
  EdgeRefinement refinement;
  for (int i = 0; i < 60; ++i) {
    const Edge edge = any_edge(random);
    const GrayImage image = test::image_of_edge(kRefinedSize, edge);
    expect_near(refinement(image, any_start(random, edge.line), kReduction, 0.5), edge.line, 0.02,
                0.1);
  }
}

TEST(EdgeRefinement, FindsEdgesAtAndNearTheSeam) {
  for (const double theta : {0.0, 0.001, pi - 0.001, pi / 2.0})
    for (const double turn : {-1.0, 1.0}) {
      const Edge edge{{theta, 20.3}};
      const GrayImage image = test::image_of_edge(kRefinedSize, edge);
      expect_near(onto_edge(image, test::moved(edge.line, turn * kDegree, 2.0)), edge.line, 0.02,
                  0.1);
    }
}

TEST(EdgeRefinement, FindsNoisyEdges) {
  test::Random random;
  for (int i = 0; i < 20; ++i) {
    const Edge edge = any_edge(random);
    GrayImage image = test::image_of_edge(kRefinedSize, edge);
    test::add_noise(image, 0.2 * std::abs(edge.after - edge.before), random);
    expect_near(onto_edge(image, any_start(random, edge.line)), edge.line, 0.15, 0.4);
  }
}

// From coarse to fine: the start is off by as many pixels of the reduced size as elsewhere.
TEST(EdgeRefinement, FindsEdgesOfLargeImages) {
  test::Random random;
  constexpr ImageFrame kLarge{1600, 1200};
  for (int i = 0; i < 3; ++i) {
    const Edge edge = any_edge(random, kLarge);
    const GrayImage image = test::image_of_edge(kLarge, edge);
    const PixelLine start = test::moved(edge.line, 0.8 * kDegree, 12.0);
    expect_near(onto_edge(image, start, 8.0), edge.line, 0.01, 0.1, kLarge);
  }
}

TEST(EdgeRefinement, AgreesWithTheReference) {
  test::Random random;
  int moved = 0;
  for (int i = 0; i < 8; ++i) {
    const auto [edge, image, start] = any_scene(random, random.uniform(0.0, 0.3));
    const double reduction = random.uniform(1.0, 4.0);
    const PixelLine found = onto_edge(image, start, reduction);
    const PixelLine expected = test::reference_refinement(image, start, reduction);
    EXPECT_NEAR(found.theta, expected.theta, 1e-9);
    EXPECT_NEAR(found.rho, expected.rho, 1e-7);
    if (found.theta != start.theta) ++moved;
  }
  EXPECT_GT(moved, 3);
}

TEST(EdgeRefinement, MirrorsAndTurnsWithTheImage) {
  test::Random random;
  for (int i = 0; i < 5; ++i) {
    const auto [edge, image, start] = any_scene(random, 0.05);
    const PixelLine found = onto_edge(image, start);
    const PixelLine in_mirror =
        onto_edge(test::mirrored(image), canonical(PixelLine{pi - start.theta, start.rho}));
    expect_near(in_mirror, canonical(PixelLine{pi - found.theta, found.rho}), 1e-6, 1e-6);
    const GrayImage turned = test::turned(image);
    const PixelLine after_turn = onto_edge(turned, test::moved(start, pi / 2.0, 0.0));
    expect_near(after_turn, test::moved(found, pi / 2.0, 0.0), 1e-6, 1e-6, turned.frame());
  }
}

TEST(EdgeRefinement, DoesNotDependOnContrastAndPolarity) {
  test::Random random;
  for (int i = 0; i < 5; ++i) {
    const auto [edge, image, start] = any_scene(random, 0.05);
    const PixelLine found = onto_edge(image, start);
    for (const double factor : {-1.0, 1e-6, -1000.0}) {
      GrayImage other = image;
      for (float& value : other.pixels) value = static_cast<float>(factor * value);
      expect_near(onto_edge(other, start), found, 1e-4, 1e-4);
    }
  }
}

TEST(EdgeRefinement, IsTheSameForEveryPixelType) {
  test::Random random;
  const Edge edge{{1.2, 10.4}};
  const PixelLine start = any_start(random, edge.line);
  const GrayImage smooth = test::image_of_edge(kRefinedSize, edge);
  GrayImage image(kRefinedSize);
  RgbImage colour(kRefinedSize.width, kRefinedSize.height);
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> words;
  for (std::size_t i = 0; i < kRefinedSize.pixels(); ++i) {
    const auto byte = static_cast<std::uint8_t>(std::lround(255.0F * smooth.pixels[i]));
    bytes.push_back(byte);
    words.push_back(static_cast<std::uint16_t>(257 * byte));
    image.pixels[i] = static_cast<float>(byte) / 255.0F;
    for (std::size_t c = 0; c < 3; ++c) colour.pixels[3 * i + c] = byte;
  }
  const PixelLine found = onto_edge(image, start);
  expect_near(found, edge.line, 0.02, 0.1);
  expect_same_line(
      onto_edge(ImageView(bytes.data(), kRefinedSize.width, kRefinedSize.height), start), found);
  expect_same_line(
      onto_edge(ImageView(words.data(), kRefinedSize.width, kRefinedSize.height), start), found);
  expect_same_line(onto_edge(colour, start), found);
}

TEST(EdgeRefinement, LeavesALineWithoutAnEdgeAlone) {
  test::Random random;
  GrayImage noise(kRefinedSize, 0.5F);
  expect_same_line(onto_edge(noise, {1.0, 7.0}), {1.0, 7.0});
  test::add_noise(noise, 0.2, random);
  for (int i = 0; i < 100; ++i) {
    const PixelLine line{random.uniform(0.0, pi), random.uniform(-60.0, 60.0)};
    expect_same_line(onto_edge(noise, line), line);
  }
}

TEST(EdgeRefinement, LeavesALineAloneWhoseEdgeIsFarAway) {
  const Edge edge{{1.5, 0.0}};
  const GrayImage image = test::image_of_edge(kRefinedSize, edge);
  for (const PixelLine start :
       {test::moved(edge.line, 0.0, 8.0), test::moved(edge.line, 2.0 * kDegree, 0.0)})
    expect_same_line(onto_edge(image, start), start);
}

TEST(EdgeRefinement, EndsForEveryLineAndImage) {
  test::Random random;
  for (const ImageFrame frame : {ImageFrame{2, 2}, {3, 400}, {400, 3}, {64, 48}, {60, 60}}) {
    GrayImage image(frame);
    test::add_noise(image, 1.0, random);
    const double most = frame.half_diagonal();
    for (int i = 0; i < 50; ++i) {
      const PixelLine line{random.uniform(0.0, pi), random.uniform(-most, most)};
      const PixelLine found = onto_edge(image, line, random.uniform(0.1, 3.0));
      EXPECT_LE(std::abs(found.rho), most);
    }
    for (const double rho : {frame.half_height(), -frame.half_height()})  // along the border
      EXPECT_TRUE(std::isfinite(onto_edge(image, {pi / 2.0, rho}).rho));
  }
}

// A model with learned evidence returns its line refined. With a front end of zeros the evidence,
// and so the line before, is the same for every image.
TEST(EdgeRefinement, FollowsLearnedEvidence) {
  test::Random random;
  SafeTensors file = test::front_model_file(random);
  for (auto& [key, tensor] : file.tensors)
    if (key.starts_with("front.")) std::fill(tensor.values.begin(), tensor.values.end(), 0.0F);
  ModelSpec spec = spec_from_metadata(file.metadata, "learned");
  spec.frame = {96, 72};
  spec.scale = 0.001;  // nearly uniform: the line passes through the centre
  file.metadata = metadata_from_spec(spec);
  LineRecoverer recover(model_from_safetensors(file, "learned"));

  RecoveryTrace trace;
  ASSERT_EQ(recover(test::image_of_edge(kRefinedSize, {{1.0, 5.0}}), &trace).lines.size(), 1U);
  const ImageFrame work = LearnedEvidence::working_frame(kRefinedSize, *spec.frame);
  const Placement placement{static_cast<double>(work.width) / kRefinedSize.width,
                            static_cast<double>(work.height) / kRefinedSize.height};
  const Edge edge{test::moved(placement.image_from_work(trace.lines[0]), 0.5 * kDegree, 2.0)};
  const Recovery recovery = recover(test::image_of_edge(kRefinedSize, edge));
  ASSERT_EQ(recovery.lines.size(), 1U);
  expect_near(recovery.lines[0].line, edge.line, 0.02, 0.1);
  const auto visible = visible_segment(recovery.lines[0].line, kRefinedSize);
  EXPECT_EQ(recovery.lines[0].visible->begin, visible->begin);
}

}  // namespace
}  // namespace vsmax
