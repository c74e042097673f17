// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/property.h"
#include "vsmax/evidence/evidence.h"

namespace vsmax {
namespace {

TEST(PlacementProperty, KeepsTheMassOfEveryImageInEveryFrame) {
  test::check_property([] {
    const auto size = *test::frame(120);
    const auto frame = *test::frame(60);
    GrayImage image(size);
    image.pixels = *rc::gen::container<std::vector<float>>(
        image.pixels.size(), rc::gen::map(rc::gen::inRange(0, 256),
                                          [](int i) { return static_cast<float>(i) / 255.0F; }));
    EvidenceStage prepare;
    const auto [working, placed, whole, placement, gradients, clear_edge, seen] =
        prepare(image, frame);
    RC_ASSERT(gradients.empty() && clear_edge == 0.0F && seen.empty());
    RC_ASSERT(working == frame && placed.size() == frame.pixels());
    RC_ASSERT(std::equal(whole.begin(), whole.end(), image.pixels.begin(), image.pixels.end()));
    RC_ASSERT(placement.scale_x > 0.0 && placement.scale_x <= 1.0);
    RC_ASSERT(placement.scale_y > 0.0 && placement.scale_y <= 1.0);
    const double before = std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0);
    const double after = std::accumulate(placed.begin(), placed.end(), 0.0);
    const double area = placement.scale_x * placement.scale_y;
    RC_ASSERT(std::abs(after - before * area) < 1e-5 * (1.0 + before));
  });
}

// The outer edges of the image stay inside the frame, centred to half a pixel.
TEST(PlacementProperty, CentresEveryImageInTheFrame) {
  test::check_property([] {
    const auto size = *test::frame(500);
    const auto frame = *test::frame(100);
    EvidenceStage prepare;
    const auto placement = prepare(GrayImage(size), frame).placement;
    const double half_width = placement.scale_x * size.width / 2.0;
    const double half_height = placement.scale_y * size.height / 2.0;
    RC_ASSERT(half_width + std::abs(placement.shift_x) <= frame.width / 2.0 + 1e-9);
    RC_ASSERT(half_height + std::abs(placement.shift_y) <= frame.height / 2.0 + 1e-9);
    RC_ASSERT(std::abs(placement.shift_x) <= 0.5);
    RC_ASSERT(std::abs(placement.shift_y) <= 0.5);
  });
}

TEST(PlacementProperty, ImageFromWorkDoesNotDependOnTheRepresentative) {
  test::check_property([] {
    const Placement placement{*test::real(0.1, 1.0), *test::real(0.1, 1.0), *test::real(-0.5, 0.5),
                              *test::real(-0.5, 0.5)};
    const auto line = *test::pixel_line(100.0);
    const auto a = placement.image_from_work(line);
    const auto b = placement.image_from_work({line.theta + std::numbers::pi, -line.rho});
    // Compared as lines, with rho of the order of one.
    const auto u = vector_from_line({a.theta, a.rho / 100.0});
    const auto v = vector_from_line({b.theta, b.rho / 100.0});
    RC_ASSERT(projective_sine(u, v) < 1e-12);
  });
}

}  // namespace
}  // namespace vsmax
