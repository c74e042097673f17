// SPDX-License-Identifier: Apache-2.0
// The laws of the geometry on generated lines, with the smallest counterexample of a broken one.
#include <cmath>
#include <numbers>

#include "support/lines.h"
#include "support/property.h"
#include "vsmax/geometry/embedded_line.h"

namespace vsmax {
namespace {

using std::numbers::pi;

TEST(LineProperty, CanonicalIsTheSameLineInTheHalfCircle) {
  test::check_property([] {
    const auto line = *test::unit_line(3.0);
    const UnitLine result = canonical(line);
    RC_ASSERT(result.theta >= 0.0 && result.theta < pi);
    RC_ASSERT(std::abs(result.rho) == std::abs(line.rho));
    RC_ASSERT(test::chordal_distance(line, result) < 1e-14);
    RC_ASSERT(canonical(result).theta == result.theta);
  });
}

TEST(LineProperty, EveryLineComesBackFromItsEmbedding) {
  test::check_property([] {
    const auto line = *test::unit_line(3.0);
    const auto [back, gap] = line_from_embedding(embedding_from_line(line));
    RC_ASSERT(back.theta >= 0.0 && back.theta < pi);
    RC_ASSERT(test::chordal_distance(line, back) < 1e-14);
    RC_ASSERT(std::abs(gap - 1.0) < 1e-14);
  });
}

TEST(LineProperty, DistanceDoesNotDependOnTheRepresentatives) {
  test::check_property([] {
    const auto a = *test::unit_line(2.0);
    const auto b = *test::unit_line(2.0);
    const double direct = test::chordal_distance(a, b);
    RC_ASSERT(std::abs(test::chordal_distance({a.theta + pi, -a.rho}, b) - direct) < 1e-14);
    RC_ASSERT(std::abs(test::chordal_distance(a, {b.theta - pi, -b.rho}) - direct) < 1e-14);
    RC_ASSERT(std::abs(test::chordal_distance(canonical(a), canonical(b)) - direct) < 1e-14);
  });
}

TEST(LineProperty, VisibleEndsLieOnTheBoxAndTheLine) {
  test::check_property([] {
    const auto frame = *test::frame(400);
    const auto line = *test::pixel_line(frame.half_diagonal());
    const auto segment = visible_segment(line, frame);
    const double reach = frame.reach(std::cos(line.theta), std::sin(line.theta));
    if (!segment) {
      RC_ASSERT(std::abs(line.rho) > reach - 1e-9);
      return;
    }
    RC_ASSERT(std::abs(line.rho) < reach + 1e-9);
    for (const auto& [x, y] : {segment->begin, segment->end}) {
      RC_ASSERT(std::abs(x) <= frame.half_width());
      RC_ASSERT(std::abs(y) <= frame.half_height());
      const double off = x * std::cos(line.theta) + y * std::sin(line.theta) - line.rho;
      RC_ASSERT(std::abs(off) < 1e-9);
    }
  });
}

}  // namespace
}  // namespace vsmax
