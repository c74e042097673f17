// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "vsmax/geometry/projective.h"

namespace vsmax {

template <std::size_t M>
double norm(const std::array<double, M>& a) {
  return std::sqrt(dot(a, a));
}

template <std::size_t M>
std::array<double, M> normalized(std::array<double, M> a) {
  const double length = norm(a);
  for (double& x : a) x /= length;
  return a;
}

}  // namespace vsmax
