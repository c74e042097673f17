// SPDX-License-Identifier: Apache-2.0
// rapidcheck, seeded from the test's name, and generators for our types. Only files named
// *_property_test.cpp include this: rapidcheck is not on every machine.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "support/random.h"
#include "vsmax/geometry/line.h"
#include "vsmax/hough/grid.h"

namespace vsmax::test {

template <class Property>
void check_property(Property&& property, int successes = 200) {
  rc::detail::TestParams params;
  params.seed = seed_from_test_name();
  params.maxSuccess = successes;
  rc::detail::TestMetadata metadata;
  metadata.id = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  metadata.description = metadata.id;
  rc::detail::TestListenerAdapter silent;
  const auto result =
      rc::detail::checkTestable(std::forward<Property>(property), metadata, params, silent,
                                std::unordered_map<std::string, rc::detail::Reproduce>());
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ADD_FAILURE() << message.str();
}

// A real number of [low, high] that shrinks towards low.
inline rc::Gen<double> real(double low, double high) {
  constexpr std::int64_t kSteps = std::int64_t{1} << 52;
  return rc::gen::map(
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, kSteps + 1)),
      [=](std::int64_t i) {
        return low + (high - low) * (static_cast<double>(i) / static_cast<double>(kSteps));
      });
}

// Any angle of [-10, 10], often a multiple of pi/4 or the number next to one.
inline rc::Gen<double> angle() {
  const auto special = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-12, 13), rc::gen::inRange(-1, 2)), [](std::pair<int, int> p) {
        const double multiple = p.first * (std::numbers::pi / 4.0);
        return p.second == 0 ? multiple : std::nextafter(multiple, p.second * 100.0);
      });
  return rc::gen::weightedOneOf<double>({{3, real(-10.0, 10.0)}, {1, special}});
}

// rho in [-reach, reach].
template <class Line>
rc::Gen<Line> line_within(double reach) {
  return rc::gen::map(rc::gen::pair(angle(), real(-reach, reach)), [](std::pair<double, double> p) {
    return Line{p.first, p.second};
  });
}
inline rc::Gen<PixelLine> pixel_line(double reach) { return line_within<PixelLine>(reach); }
inline rc::Gen<UnitLine> unit_line(double reach) { return line_within<UnitLine>(reach); }

inline rc::Gen<ImageFrame> frame(int largest) {
  const auto side = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(2, largest + 1));
  return rc::gen::map(rc::gen::pair(side, side), [](std::pair<int, int> p) {
    return ImageFrame{p.first, p.second};
  });
}

inline rc::Gen<HoughGrid> grid(int largest_side, int most_angles, int most_offsets) {
  const auto angles = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, most_angles + 1));
  const auto half =
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, (most_offsets - 1) / 2 + 1));
  return rc::gen::map(rc::gen::tuple(frame(largest_side), angles, half),
                      [](const std::tuple<ImageFrame, int, int>& t) {
                        return HoughGrid(std::get<0>(t), std::get<1>(t), 2 * std::get<2>(t) + 1);
                      });
}

}  // namespace vsmax::test

namespace vsmax {

// So that rapidcheck shows counterexamples.
template <class Line>
requires std::is_same_v<Line, PixelLine> || std::is_same_v<Line, UnitLine>
void showValue(const Line& line, std::ostream& os) {
  os.precision(17);
  os << "theta " << line.theta << ", rho " << line.rho;
}
inline void showValue(const ImageFrame& frame, std::ostream& os) {
  os << frame.width << "x" << frame.height;
}
inline void showValue(const HoughGrid& grid, std::ostream& os) {
  showValue(grid.frame(), os);
  os << ", T = " << grid.thetas() << ", R = " << grid.rhos();
}

}  // namespace vsmax
