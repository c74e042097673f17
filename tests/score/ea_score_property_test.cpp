// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "support/property.h"
#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

TEST(EaScoreProperty, IsSymmetricBoundedAndOneOnTheDiagonal) {
  test::check_property(
      [] {
        const auto frame = *test::frame(300);
        const auto a = *test::pixel_line(frame.half_diagonal());
        const auto b = *test::pixel_line(frame.half_diagonal());
        const double score = ea_score(a, b, frame);
        RC_ASSERT(score >= 0.0 && score <= 1.0);
        RC_ASSERT(std::abs(score - ea_score(b, a, frame)) < 1e-14);
        RC_ASSERT(ea_score(a, a, frame) == (visible_segment(a, frame) ? 1.0 : 0.0));
      },
      500);
}

TEST(EaScoreProperty, IsInvariantUnderMirrorsOfTheImage) {
  test::check_property(
      [] {
        const auto frame = *test::frame(300);
        // Away from tangents, where rounding decides whether a line is seen.
        const auto a = *test::pixel_line(0.45 * std::min(frame.width, frame.height));
        const auto b = *test::pixel_line(0.45 * std::min(frame.width, frame.height));
        RC_PRE(visible_segment({a.theta, a.rho * 1.0001}, frame).has_value());
        RC_PRE(visible_segment({b.theta, b.rho * 1.0001}, frame).has_value());
        const double score = ea_score(a, b, frame);
        const auto mirror = [](PixelLine line) {
          return PixelLine{std::numbers::pi - line.theta, line.rho};
        };
        const auto turn = [](PixelLine line) { return PixelLine{line.theta, -line.rho}; };
        RC_ASSERT(std::abs(score - ea_score(mirror(a), mirror(b), frame)) < 1e-8);
        RC_ASSERT(std::abs(score - ea_score(turn(a), turn(b), frame)) < 1e-8);
      },
      500);
}

}  // namespace
}  // namespace vsmax
