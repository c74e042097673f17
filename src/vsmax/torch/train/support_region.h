// SPDX-License-Identifier: Apache-2.0
// The regions of line space to which training can be restricted (the paper's Ablation 2).
#pragma once

#include <array>

#include "vsmax/hough/grid.h"

namespace vsmax {

enum class Support { kAll, kG1, kG2, kG3, kG4 };

inline constexpr std::array<const char*, 5> kSupportNames{"all", "g1", "g2", "g3", "g4"};

// g1: theta < pi/2; g2: rho < 0; g3: above the grid's diagonal; g4: g1 and g2.
inline bool in_support(Support support, const HoughGrid& grid, Cell cell) {
  const bool first_half_of_theta = 2 * cell.t < grid.thetas();
  const bool negative_rho = 2 * cell.r < grid.rhos() - 1;
  switch (support) {
    case Support::kAll:
      return true;
    case Support::kG1:
      return first_half_of_theta;
    case Support::kG2:
      return negative_rho;
    case Support::kG3:  // r > t if T = R, as in the paper
      return cell.r * grid.thetas() > cell.t * grid.rhos();
    case Support::kG4:
      return first_half_of_theta && negative_rho;
  }
  return false;
}

}  // namespace vsmax
