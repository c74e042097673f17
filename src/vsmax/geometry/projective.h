// SPDX-License-Identifier: Apache-2.0
// Points of the real projective space RP^N as unit vectors of R^(N+1) up to sign: axes (N=1),
// lines of the plane (N=2), rotations as unit quaternions (N=3).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "vsmax/base/host_device.h"

namespace vsmax {

// Invariant: abs(norm(u) - 1) <= 1e-12; u and -u are the same point.
template <int N>
using ProjectivePoint = std::array<double, static_cast<std::size_t>(N) + 1>;

template <std::size_t M>
VSMAX_HOST_DEVICE double dot(const std::array<double, M>& a, const std::array<double, M>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < M; ++i) sum += a[i] * b[i];
  return sum;
}

// The sine of the angle alpha between two projective points (Eq. 6), from the lengths of u-v and
// u+v: unlike sqrt(1 - dot^2), it stays accurate when the points almost coincide.
template <std::size_t M>
VSMAX_HOST_DEVICE double projective_sine(const std::array<double, M>& u,
                                         const std::array<double, M>& v) {
  const double sign = dot(u, v) < 0.0 ? -1.0 : 1.0;
  double minus = 0.0;
  double plus = 0.0;
  for (std::size_t i = 0; i < M; ++i) {
    const double d = u[i] - sign * v[i];
    const double s = u[i] + sign * v[i];
    minus += d * d;
    plus += s * s;
  }
  // With half-angle a/2: |u-v| = 2 sin(a/2), |u+v| = 2 cos(a/2), sin a = their product / 2.
  return 0.5 * std::sqrt(minus) * std::sqrt(plus);
}

// The angle alpha in [0, pi/2] between two projective points, without arccos, which is inaccurate
// near 1.
template <std::size_t M>
VSMAX_HOST_DEVICE double projective_angle(const std::array<double, M>& u,
                                          const std::array<double, M>& v) {
  return std::atan2(projective_sine(u, v), std::abs(dot(u, v)));
}

// || uu' - vv' ||_F^2 = 2 sin^2 alpha (Eq. 6): the training loss between two points.
template <std::size_t M>
double squared_chordal_distance(const std::array<double, M>& u, const std::array<double, M>& v) {
  const double sine = projective_sine(u, v);
  return 2.0 * sine * sine;
}

}  // namespace vsmax
