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
  // Where theta and rho lie with probability 0.68 and 0.95, the rest being equally likely on either
  // side. They are those of the representative near the estimate, so theta may leave [0, pi).
  std::array<double, 2> theta_68{};
  std::array<double, 2> theta_95{};
  std::array<double, 2> rho_68{};
  std::array<double, 2> rho_95{};
};

}  // namespace vsmax
