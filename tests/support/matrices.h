// SPDX-License-Identifier: Apache-2.0
// Small symmetric matrices with known eigenvalues.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "support/random.h"
#include "support/vectors.h"
#include "vsmax/geometry/veronese.h"

namespace vsmax::test {

template <std::size_t M>
SquareMatrix<M> random_symmetric(Random& random, double scale = 1.0) {
  SquareMatrix<M> s{};
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = i; j < M; ++j) s[i][j] = s[j][i] = scale * random.normal();
  return s;
}

// Orthonormal rows, by Gram and Schmidt, twice.
template <std::size_t M>
SquareMatrix<M> random_rotation(Random& random) {
  SquareMatrix<M> q{};
  for (std::size_t k = 0; k < M; ++k) {
    do {
      q[k] = random.direction<M>();
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t l = 0; l < k; ++l) {
          const double along = dot(q[k], q[l]);
          for (std::size_t i = 0; i < M; ++i) q[k][i] -= along * q[l][i];
        }
    } while (norm(q[k]) < 0.1);
    q[k] = normalized(q[k]);
  }
  return q;
}

// sum_k values[k] q_k q_k', exactly symmetric.
template <std::size_t M>
SquareMatrix<M> with_eigenvalues(const std::array<double, M>& values, const SquareMatrix<M>& q) {
  SquareMatrix<M> s{};
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = i; j < M; ++j) {
      for (std::size_t k = 0; k < M; ++k) s[i][j] += values[k] * q[k][i] * q[k][j];
      s[j][i] = s[i][j];
    }
  return s;
}

template <std::size_t M>
double frobenius_norm(const SquareMatrix<M>& s) {
  double squares = 0.0;
  for (const auto& row : s) squares += dot(row, row);
  return std::sqrt(squares);
}

}  // namespace vsmax::test
