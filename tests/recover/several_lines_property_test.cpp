// SPDX-License-Identifier: Apache-2.0
// Laws of sets of lines, for any two lines in an image.
#include <cmath>
#include <numbers>

#include "support/line_sets.h"
#include "support/property.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/several_lines.h"

namespace vsmax {
namespace {

using std::numbers::pi;

constexpr ImageFrame kSmallFrame{72, 60};

// Any line; or one near the seam, on either side of it.
PixelLine any_line() {
  const double rho = *test::real(-30.0, 30.0);
  if (*rc::gen::arbitrary<bool>()) return {*test::real(0.0, pi), rho};
  const double theta = *test::real(-0.05, 0.05);
  return theta < 0.0 ? PixelLine{theta + pi, -rho} : PixelLine{theta, rho};
}

TEST(SeveralLinesProperty, AreDistinctCertainAndInOrder) {
  LineRecoverer recover(load_model("classic"));
  const double least = merge_distance(grid_for(recover.model().spec, kSmallFrame));
  test::check_property(
      [&] {
        const test::LineSet truth{any_line(), any_line()};
        const double sigma = *rc::gen::element(0.0, 0.1, 0.4);
        const LinesWanted wanted{*rc::gen::inRange(2, 9), *test::real(0.0, 1.0)};
        const auto lines = recover(test::image_of(kSmallFrame, truth, sigma), wanted).lines;
        RC_ASSERT(lines.size() <= static_cast<std::size_t>(wanted.most));
        for (std::size_t i = 0; i < lines.size(); ++i) {
          RC_ASSERT(lines[i].line.theta >= 0.0);
          RC_ASSERT(lines[i].line.theta < pi);
          RC_ASSERT(lines[i].confidence >= wanted.min_confidence);
          RC_ASSERT(lines[i].confidence <= (i == 0 ? 1.0 : lines[i - 1].confidence));
          for (std::size_t k = 0; k < i; ++k)
            RC_ASSERT(test::chordal_distance(lines[i].line, lines[k].line, kSmallFrame) >
                      least * (1.0 - 1e-9));
        }
      },
      400);
}

// So that whoever raises the bound loses lines, and gets no other.
TEST(SeveralLinesProperty, AHigherBoundOnlyLeavesOutLines) {
  LineRecoverer recover(load_model("classic"));
  test::check_property(
      [&] {
        const test::LineSet truth{any_line(), any_line(), any_line()};
        const GrayImage image =
            test::image_of(kSmallFrame, truth, *rc::gen::element(0.2, 0.5, 0.8));
        auto expected = recover(image, LinesWanted{8, 0.2}).lines;
        const double least = *test::real(0.2, 1.0);
        std::erase_if(expected, [&](const auto& line) { return line.confidence < least; });
        const auto lines = recover(image, LinesWanted{8, least}).lines;
        RC_ASSERT(lines.size() == expected.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
          RC_ASSERT(lines[i].line.theta == expected[i].line.theta);
          RC_ASSERT(lines[i].line.rho == expected[i].line.rho);
        }
      },
      200);
}

// Two lines that cross the seam from either side are two, and each of them is found.
TEST(SeveralLinesProperty, PairsThatStraddleTheSeamAreTwo) {
  LineRecoverer recover(load_model("classic"));
  test::check_property(
      [&] {
        const double rho = *test::real(-25.0, 25.0);
        const test::LineSet truth{{*test::real(0.0, 0.05), rho},
                                  {pi - *test::real(0.0, 0.05), *test::real(-25.0, 25.0)}};
        RC_PRE(test::chordal_distance(truth[0], truth[1], kSmallFrame) > 0.3);
        const auto lines =
            recover(test::image_of(kSmallFrame, truth, 0.1), LinesWanted{32, 0.5}).lines;
        RC_ASSERT(lines.size() == 2U);
        RC_ASSERT(test::matches(lines, truth, kSmallFrame, 0.9) == 2);
      },
      150);
}

}  // namespace
}  // namespace vsmax
