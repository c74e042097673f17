// SPDX-License-Identifier: Apache-2.0
// Grids on which the Hough transform is tried.
#pragma once

#include <string>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax::test {

inline std::string name_of(const HoughGrid& grid) {
  return std::to_string(grid.frame().width) + "x" + std::to_string(grid.frame().height) + ", T " +
         std::to_string(grid.thetas()) + ", R " + std::to_string(grid.rhos());
}

// Grids where many pixels fall exactly between two bins: bins of sqrt(2) pixels at 45 degrees, and
// a 3:4:5 rectangle whose bins of 2 pixels end on pixel centres at theta = 0 and pi/2.
inline std::vector<HoughGrid> tie_rich_grids() { return {{{65, 65}, 64, 65}, {{81, 61}, 16, 51}}; }

// All parities of W, H, T and R's half, degenerate sizes, bins of less than a pixel.
inline std::vector<HoughGrid> many_grids() {
  std::vector<HoughGrid> grids{
      {{2, 2}, 1, 3},       {{2, 2}, 2, 3},      {{2, 2}, 3, 3},      {{2, 2}, 8, 101},
      {{2, 300}, 7, 31},    {{300, 2}, 7, 31},   {{2, 300}, 8, 301},  {{300, 2}, 8, 301},
      {{2, 3}, 5, 5},       {{3, 2}, 5, 5},      {{3, 3}, 6, 7},      {{17, 16}, 1, 9},
      {{16, 17}, 2, 9},     {{17, 17}, 3, 9},    {{33, 20}, 12, 3},   {{20, 33}, 13, 3},
      {{31, 47}, 31, 251},  {{48, 30}, 30, 249}, {{40, 30}, 20, 999}, {{41, 31}, 24, 51},
      {{128, 96}, 63, 127}, {{97, 129}, 64, 91}, {{256, 40}, 16, 65}, {{40, 256}, 17, 65}};
  for (const auto& grid : tie_rich_grids()) grids.push_back(grid);
  return grids;
}

}  // namespace vsmax::test
