// SPDX-License-Identifier: Apache-2.0
// How far the true line may lie from an estimate, in the tangent plane at the estimate (Eq. 54).
#pragma once

#include <array>

namespace vsmax {

// theta in radians, rho in pixels.
struct LineSpread {
  double theta_sd = 0.0;
  double rho_sd = 0.0;
  double correlation = 0.0;
  // The intervals that hold theta and rho with probability 0.68 and 0.95, with equal tails. They
  // refer to the line's representative nearest to the estimate, so theta may lie outside [0, pi).
  std::array<double, 2> theta_68{};
  std::array<double, 2> theta_95{};
  std::array<double, 2> rho_68{};
  std::array<double, 2> rho_95{};
};

}  // namespace vsmax
