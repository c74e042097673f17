// SPDX-License-Identifier: Apache-2.0
// The visible part of a line, against walking along it in small steps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "support/random.h"
#include "vsmax/geometry/line.h"

namespace vsmax {
namespace {

using std::numbers::pi;

const std::vector<ImageFrame> kFrames{{2, 2}, {3, 2}, {64, 64}, {101, 37}, {5, 300}, {256, 255}};

double reach_of(PixelLine line, const ImageFrame& frame) {
  return frame.reach(std::cos(line.theta), std::sin(line.theta));
}

// The first and last of evenly spaced points of the line that lie in the box.
std::optional<Segment> walk(PixelLine line, const ImageFrame& frame, double step) {
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  std::optional<Segment> seen;
  const double end = frame.half_diagonal() + step;
  for (double at = -end; at <= end; at += step) {
    const std::array<double, 2> point{line.rho * c - at * s, line.rho * s + at * c};
    if (std::abs(point[0]) > frame.half_width() || std::abs(point[1]) > frame.half_height())
      continue;
    if (!seen) seen = Segment{point, point};
    seen->end = point;
  }
  return seen;
}

void expect_on_box_and_line(const Segment& segment, PixelLine line, const ImageFrame& frame) {
  for (const auto& [x, y] : {segment.begin, segment.end}) {
    EXPECT_LE(std::abs(x), frame.half_width());
    EXPECT_LE(std::abs(y), frame.half_height());
    const double to_side =
        std::min(frame.half_width() - std::abs(x), frame.half_height() - std::abs(y));
    EXPECT_LT(to_side, 1e-9) << "an end lies on the box";
    EXPECT_NEAR(x * std::cos(line.theta) + y * std::sin(line.theta), line.rho, 1e-9);
  }
}

TEST(VisibleSegment, IsWhatAWalkAlongTheLineSees) {
  test::Random random;
  for (const auto& frame : kFrames)
    for (int repeat = 0; repeat < 60; ++repeat) {
      const double d = frame.half_diagonal();
      const PixelLine line{random.uniform(-10.0, 10.0), random.uniform(-1.1 * d, 1.1 * d)};
      const auto segment = visible_segment(line, frame);
      const double step = d / 2000.0;
      const auto walked = walk(line, frame, step);
      if (!segment) {
        EXPECT_FALSE(walked);
        continue;
      }
      expect_on_box_and_line(*segment, line, frame);
      if (!walked) {  // seen over less than a step
        EXPECT_LE(
            std::hypot(segment->begin[0] - segment->end[0], segment->begin[1] - segment->end[1]),
            step * 1.001);
        continue;
      }
      for (std::size_t axis = 0; axis < 2; ++axis) {
        EXPECT_NEAR(segment->begin[axis], walked->begin[axis], step * 1.001);
        EXPECT_NEAR(segment->end[axis], walked->end[axis], step * 1.001);
      }
    }
}

TEST(VisibleSegment, ExistsExactlyWhereRhoIsInReach) {
  test::Random random;
  for (const auto& frame : kFrames)
    for (int repeat = 0; repeat < 200; ++repeat) {
      const double theta = random.uniform(0.0, pi);
      const double reach = reach_of({theta, 0.0}, frame);
      for (const double sign : {1.0, -1.0}) {
        EXPECT_TRUE(visible_segment({theta, sign * (reach - 1e-9)}, frame)) << theta;
        EXPECT_FALSE(visible_segment({theta, sign * (reach + 1e-9)}, frame)) << theta;
      }
    }
}

TEST(VisibleSegment, OfAnUprightLineSpansTheHeight) {
  const ImageFrame frame{101, 37};
  for (const double rho : {-50.0, -12.5, 0.0, 50.0}) {  // both edges included
    const auto segment = visible_segment({0.0, rho}, frame);
    ASSERT_TRUE(segment) << rho;
    EXPECT_EQ(segment->begin[0], rho);
    EXPECT_EQ(segment->end[0], rho);
    EXPECT_EQ(segment->begin[1], -18.0);
    EXPECT_EQ(segment->end[1], 18.0);
    EXPECT_EQ(segment->midpoint()[0], rho);
    EXPECT_EQ(segment->midpoint()[1], 0.0);
  }
  EXPECT_FALSE(visible_segment({0.0, std::nextafter(50.0, 60.0)}, frame));
  EXPECT_FALSE(visible_segment({0.0, -51.0}, frame));
}

TEST(VisibleSegment, OfALevelLineSpansTheWidth) {
  const ImageFrame frame{101, 37};
  for (const double rho : {-17.9, -3.0, 0.0, 17.9}) {
    const auto segment = visible_segment({pi / 2.0, rho}, frame);
    ASSERT_TRUE(segment) << rho;
    EXPECT_EQ(segment->begin[0], 50.0);
    EXPECT_EQ(segment->end[0], -50.0);
    EXPECT_NEAR(segment->midpoint()[0], 0.0, 1e-12);
    EXPECT_NEAR(segment->midpoint()[1], rho, 1e-12);
  }
  EXPECT_FALSE(visible_segment({pi / 2.0, 18.0 + 1e-12}, frame));
}

TEST(VisibleSegment, OfTheDiagonalJoinsTheCorners) {
  for (const auto& frame : kFrames) {
    const double theta = std::atan2(frame.half_width(), -frame.half_height());  // normal to (W, H)
    const auto segment = visible_segment({theta, 0.0}, frame);
    ASSERT_TRUE(segment);
    EXPECT_NEAR(
        std::hypot(segment->begin[0] - segment->end[0], segment->begin[1] - segment->end[1]),
        2.0 * frame.half_diagonal(), 1e-9);
    EXPECT_NEAR(segment->midpoint()[0], 0.0, 1e-9);
  }
}

TEST(VisibleSegment, AtACornerIsThatCorner) {
  const ImageFrame frame{64, 48};
  for (const double sx : {-1.0, 1.0})
    for (const double sy : {-1.0, 1.0}) {
      const std::array<double, 2> corner{sx * frame.half_width(), sy * frame.half_height()};
      const double theta = std::atan2(sy, sx) + 0.2;  // touches there and nowhere else
      const double rho = corner[0] * std::cos(theta) + corner[1] * std::sin(theta);
      const auto inside = visible_segment({theta, rho * (1.0 - 1e-12)}, frame);
      ASSERT_TRUE(inside);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        EXPECT_NEAR(inside->begin[axis], corner[axis], 1e-6);
        EXPECT_NEAR(inside->end[axis], corner[axis], 1e-6);
      }
      EXPECT_FALSE(visible_segment({theta, rho * (1.0 + 1e-12)}, frame));
    }
}

TEST(VisibleSegment, DoesNotDependOnTheRepresentative) {
  test::Random random;
  for (const auto& frame : kFrames)
    for (int repeat = 0; repeat < 50; ++repeat) {
      const double theta = random.uniform(0.0, pi);
      const double rho = random.uniform(-0.95, 0.95) * reach_of({theta, 0.0}, frame);
      const auto a = visible_segment({theta, rho}, frame);
      const auto b = visible_segment({theta + pi, -rho}, frame);
      ASSERT_TRUE(a && b);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        EXPECT_NEAR(a->begin[axis], b->end[axis], 1e-9);
        EXPECT_NEAR(a->midpoint()[axis], b->midpoint()[axis], 1e-9);
      }
    }
}

TEST(VisibleSegment, IsEmptyForNanAndInfinity) {
  const double nan = std::nan("");
  EXPECT_FALSE(visible_segment({nan, 0.0}, {64, 64}));
  EXPECT_FALSE(visible_segment({0.0, nan}, {64, 64}));
  EXPECT_FALSE(visible_segment({0.3, INFINITY}, {64, 64}));
  EXPECT_FALSE(visible_segment({0.3, 1e300}, {64, 64}));
}

}  // namespace
}  // namespace vsmax
