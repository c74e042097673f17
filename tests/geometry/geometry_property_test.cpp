// SPDX-License-Identifier: Apache-2.0
// The laws of the geometry on generated lines, with a smallest counterexample where one breaks.
#include <cmath>
#include <numbers>

#include "support/property.h"
#include "vsmax/geometry/line.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/geometry/veronese.h"

namespace vsmax {
namespace {

using std::numbers::pi;

double chordal_distance(PixelLine a, PixelLine b) {
  return std::sqrt(squared_chordal_distance(vector_from_line(a), vector_from_line(b)));
}

TEST(LineProperty, CanonicalIsTheSameLineInTheHalfCircle) {
  test::check_property([] {
    const auto line = *test::polar_line(3.0);
    const PixelLine result = canonical(line);
    RC_ASSERT(result.theta >= 0.0 && result.theta < pi);
    RC_ASSERT(std::abs(result.rho) == std::abs(line.rho));
    RC_ASSERT(chordal_distance(line, result) < 1e-14);
    RC_ASSERT(canonical(result).theta == result.theta);
  });
}

TEST(LineProperty, EveryLineComesBackFromItsEmbedding) {
  test::check_property([] {
    const auto line = *test::polar_line(3.0);
    const auto v = veronese_from_point(vector_from_line(line));
    const auto eigen = symmetric_eigen<3>(symmetric_from_veronese<3>(v));
    const PixelLine back = line_from_vector(eigen.leading());
    RC_ASSERT(back.theta >= 0.0 && back.theta < pi);
    RC_ASSERT(chordal_distance(line, back) < 1e-14);
  });
}

TEST(LineProperty, DistanceDoesNotSeeWhichNamesTheLinesGoBy) {
  test::check_property([] {
    const auto a = *test::polar_line(2.0);
    const auto b = *test::polar_line(2.0);
    const double direct = chordal_distance(a, b);
    RC_ASSERT(std::abs(chordal_distance({a.theta + pi, -a.rho}, b) - direct) < 1e-14);
    RC_ASSERT(std::abs(chordal_distance(a, {b.theta - pi, -b.rho}) - direct) < 1e-14);
    RC_ASSERT(std::abs(chordal_distance(canonical(a), canonical(b)) - direct) < 1e-14);
  });
}

TEST(LineProperty, VisibleEndsLieOnTheBoxAndTheLine) {
  test::check_property([] {
    const auto frame = *test::frame(400);
    const auto line = *test::polar_line(frame.half_diagonal());
    const auto segment = visible_segment(line, frame);
    const double reach = frame.half_width() * std::abs(std::cos(line.theta)) +
                         frame.half_height() * std::abs(std::sin(line.theta));
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
