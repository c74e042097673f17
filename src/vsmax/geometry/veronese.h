// SPDX-License-Identifier: Apache-2.0
// The Veronese embedding of RP^N, weighted so that it is an isometry (Eq. 4, 5), and the way back
// to a symmetric matrix (Eq. 20). The order is the paper's: squares first, then the products (0,1),
// (0,2), ..., (1,2), ... times sqrt(2). Host and device run the same code.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "vsmax/base/host_device.h"
#include "vsmax/geometry/projective.h"

namespace vsmax {

template <std::size_t M>
using SquareMatrix = std::array<std::array<double, M>, M>;

// The number of coordinates of the embedding of vectors with M components.
template <std::size_t M>
inline constexpr std::size_t kVeroneseSize = M*(M + 1) / 2;

template <std::size_t M>
using VeroneseVector = std::array<double, kVeroneseSize<M>>;

// vech with weights: ||veronese_from_symmetric(S)||_2 = ||S||_F (Eq. 5). Reads the upper triangle.
template <std::size_t M>
VSMAX_HOST_DEVICE VeroneseVector<M> veronese_from_symmetric(const SquareMatrix<M>& s) {
  VeroneseVector<M> v{};
  std::size_t k = M;
  for (std::size_t i = 0; i < M; ++i) {
    v[i] = s[i][i];
    for (std::size_t j = i + 1; j < M; ++j) v[k++] = std::numbers::sqrt2 * s[i][j];
  }
  return v;
}

// v_2(u) = W vech(uu') (Eq. 4); v_2(u) = v_2(-u).
template <std::size_t M>
VSMAX_HOST_DEVICE VeroneseVector<M> veronese_from_point(const std::array<double, M>& u) {
  SquareMatrix<M> outer{};
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = i; j < M; ++j) outer[i][j] = u[i] * u[j];
  return veronese_from_symmetric<M>(outer);
}

// vech^-1(W^-1 v): the symmetric matrix that v encodes (Eq. 20). M cannot be deduced from v.
template <std::size_t M>
VSMAX_HOST_DEVICE SquareMatrix<M> symmetric_from_veronese(const VeroneseVector<M>& v) {
  SquareMatrix<M> s{};
  std::size_t k = M;
  for (std::size_t i = 0; i < M; ++i) {
    s[i][i] = v[i];
    for (std::size_t j = i + 1; j < M; ++j) {
      s[i][j] = v[k++] / std::numbers::sqrt2;
      s[j][i] = s[i][j];
    }
  }
  return s;
}

}  // namespace vsmax
