// SPDX-License-Identifier: Apache-2.0
// Pairs of projective points on which laws are tried: equal, near, random and nasty ones.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/random.h"
#include "support/vectors.h"
#include "vsmax/geometry/projective.h"

namespace vsmax::test {

template <std::size_t M>
using PointPair = std::pair<std::array<double, M>, std::array<double, M>>;

template <std::size_t M>
std::array<double, M> axis(std::size_t i) {
  std::array<double, M> e{};
  e[i] = 1.0;
  return e;
}

template <std::size_t M>
std::array<double, M> negated(std::array<double, M> u) {
  for (double& x : u) x = -x;
  return u;
}

// u turned by `angle` in a random plane.
template <std::size_t M>
std::array<double, M> turned(const std::array<double, M>& u, double angle, Random& random) {
  auto w = random.direction<M>();
  const double along = dot(u, w);
  for (std::size_t i = 0; i < M; ++i) w[i] -= along * u[i];
  w = normalized(w);
  std::array<double, M> result{};
  for (std::size_t i = 0; i < M; ++i) result[i] = std::cos(angle) * u[i] + std::sin(angle) * w[i];
  return normalized(result);
}

template <std::size_t M>
std::vector<PointPair<M>> point_pairs(Random& random) {
  constexpr double kQuarter = 1.5707963267948966;
  std::vector<PointPair<M>> pairs;
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < M; ++j) pairs.emplace_back(axis<M>(i), axis<M>(j));
    pairs.emplace_back(axis<M>(i), negated(axis<M>(i)));
    // Offsets that vanish, or nearly vanish, when squared.
    for (const double tiny : {4.9e-324, 1e-310, 1e-200, 1e-160, 1e-20}) {
      auto v = axis<M>(i);
      v[(i + 1) % M] = tiny;
      pairs.emplace_back(axis<M>(i), v);
    }
  }
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto u = random.direction<M>();
    pairs.emplace_back(u, u);
    pairs.emplace_back(u, negated(u));
    pairs.emplace_back(u, random.direction<M>());
    for (const double angle : {1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.5}) {
      pairs.emplace_back(u, turned(u, angle, random));
      pairs.emplace_back(u, negated(turned(u, angle, random)));
      pairs.emplace_back(u, turned(u, kQuarter - angle, random));
    }
  }
  return pairs;
}

// sin of the angle by Lagrange's identity, in long double and without arccos:
// |u|^2 |v|^2 - (u.v)^2 = sum over i < j of (u_i v_j - u_j v_i)^2, where the nearer w of v and -v
// gives u_i w_j - u_j w_i = u_i (w_j - u_j) - u_j (w_i - u_i) without cancellation.
template <std::size_t M>
long double sine_oracle(const std::array<double, M>& u, const std::array<double, M>& v) {
  const long double sign = dot(u, v) < 0.0 ? -1.0L : 1.0L;
  std::array<long double, M> step{};
  long double uu = 0.0L;
  long double vv = 0.0L;
  for (std::size_t i = 0; i < M; ++i) {
    step[i] = sign * v[i] - u[i];
    uu += static_cast<long double>(u[i]) * u[i];
    vv += static_cast<long double>(v[i]) * v[i];
  }
  long double crossed = 0.0L;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = i + 1; j < M; ++j) {
      const long double c = u[i] * step[j] - u[j] * step[i];
      crossed += c * c;
    }
  return std::sqrt(crossed / (uu * vv));
}

}  // namespace vsmax::test
