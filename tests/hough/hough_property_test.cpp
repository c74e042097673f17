// SPDX-License-Identifier: Apache-2.0
// Grids and images from rapidcheck, so that a broken law comes with its smallest image.
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/hough_reference.h"
#include "support/largest_error.h"
#include "support/property.h"
#include "vsmax/hough/hough.h"

namespace vsmax {
namespace {

rc::Gen<std::vector<float>> integer_image(std::size_t count) {
  return rc::gen::container<std::vector<float>>(
      count,
      rc::gen::map(rc::gen::inRange(-100, 101), [](int i) { return static_cast<float>(i); }));
}

TEST(HoughProperty, ForwardIsTheDefinition) {
  test::check_property([] {
    const auto grid = *test::grid(24, 20, 41);
    const auto image = *integer_image(grid.frame().pixels());
    std::vector<float> fast(grid.cells());
    HoughScratch scratch;
    HoughTransform(grid).forward(image, fast, scratch);
    RC_ASSERT(test::largest_error(fast, reference::hough_forward(grid, image.data())) == 0.0);
  });
}

TEST(HoughProperty, AdjointIsTheDefinition) {
  test::check_property([] {
    const auto grid = *test::grid(24, 20, 41);
    const auto accumulator = *integer_image(grid.cells());
    std::vector<float> fast(grid.frame().pixels());
    HoughScratch scratch;
    HoughTransform(grid).adjoint(accumulator, fast, scratch);
    RC_ASSERT(test::largest_error(fast, reference::hough_adjoint(grid, accumulator.data())) == 0.0);
  });
}

TEST(HoughProperty, VotesMirrorToTheLastTie) {
  test::check_property(
      [] {
        const auto grid = *test::grid(200, 120, 301);
        const auto [width, height] = grid.frame();
        const int t = *rc::gen::inRange(0, grid.thetas());
        const int column = *rc::gen::inRange(0, width);
        const int row = *rc::gen::inRange(0, height);
        const int bin = grid.bin(t, column, row);
        RC_ASSERT(bin >= 0 && bin < grid.rhos());
        RC_ASSERT(grid.bin(t, width - 1 - column, height - 1 - row) == grid.rhos() - 1 - bin);
        if (t != 0) {
          RC_ASSERT(grid.bin(grid.thetas() - t, width - 1 - column, row) == bin);
        }
      },
      1000);
}

TEST(HoughProperty, RunsAreTheBinsOfTheDefinition) {
  test::check_property([] {
    const auto grid = *test::grid(300, 60, 601);
    const int t = *rc::gen::inRange(0, std::min(grid.thetas() / 2 + 1, grid.thetas()));
    const int row = *rc::gen::inRange(0, grid.frame().height);
    std::vector<std::uint32_t> edges;
    const int first = find_row_runs(grid, t, row, edges);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      for (auto column = edges[i]; column < edges[i + 1]; ++column)
        RC_ASSERT(grid.bin(t, static_cast<int>(column), row) == first + static_cast<int>(i));
  });
}

}  // namespace
}  // namespace vsmax
