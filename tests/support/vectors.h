// SPDX-License-Identifier: Apache-2.0
// Vectors of 2, 3 and 4 components, on which the laws of the geometry are tried.
#pragma once

#include <gtest/gtest.h>

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

namespace test {

template <std::size_t M>
struct Size {
  static constexpr std::size_t kSize = M;
};
using Sizes = ::testing::Types<Size<2>, Size<3>, Size<4>>;

}  // namespace test

}  // namespace vsmax
