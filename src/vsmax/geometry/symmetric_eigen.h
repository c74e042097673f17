// SPDX-License-Identifier: Apache-2.0
// Solves S u = lambda u for a small symmetric S by cyclic Jacobi rotations (Golub & Van Loan,
// section 8.5), and differentiates the leading eigenvector with a guard (Eq. 23). Jacobi needs no
// special case for equal eigenvalues and keeps the eigenvectors orthogonal to rounding. Host and
// device run the same code.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "vsmax/base/host_device.h"
#include "vsmax/geometry/veronese.h"

namespace vsmax {

template <std::size_t M>
struct SymmetricEigen {
  std::array<double, M> values{};  // descending
  SquareMatrix<M> vectors{};       // vectors[k] belongs to values[k]; its largest entry is positive

  VSMAX_HOST_DEVICE const std::array<double, M>& leading() const { return vectors[0]; }
  VSMAX_HOST_DEVICE double gap() const { return values[0] - values[1]; }
};

namespace detail {

// An entry this small beside the diagonal is far below its rounding error. Without this bound, the
// last sweeps would only rotate by ever smaller numbers until they underflow.
inline constexpr double kNegligibleRotation = 1e-20;

VSMAX_HOST_DEVICE inline double inverse_root(double x) {
#if defined(__CUDA_ARCH__)
  return rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}

// One rotation in the plane (p, q) that makes S[p][q] zero; `basis` collects the rows of Q'.
template <std::size_t M>
VSMAX_HOST_DEVICE void jacobi_rotate(SquareMatrix<M>& s, SquareMatrix<M>& basis, std::size_t p,
                                     std::size_t q) {
  if (std::abs(s[p][q]) <= kNegligibleRotation * (std::abs(s[p][p]) + std::abs(s[q][q]))) {
    s[p][q] = 0.0;
    s[q][p] = 0.0;
    return;
  }
  const double tau = (s[q][q] - s[p][p]) / (2.0 * s[p][q]);
  const double t = (tau >= 0.0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1.0 + tau * tau));
  const double c = inverse_root(1.0 + t * t);
  const double d = t * c;
  for (std::size_t k = 0; k < M; ++k) {
    const double a = s[k][p];
    const double b = s[k][q];
    s[k][p] = c * a - d * b;
    s[k][q] = d * a + c * b;
  }
  for (std::size_t k = 0; k < M; ++k) {
    const double a = s[p][k];
    const double b = s[q][k];
    s[p][k] = c * a - d * b;
    s[q][k] = d * a + c * b;
    const double u = basis[p][k];
    const double v = basis[q][k];
    basis[p][k] = c * u - d * v;
    basis[q][k] = d * u + c * v;
  }
  s[p][q] = 0.0;
  s[q][p] = 0.0;
}

// u or -u, whichever makes the entry of largest magnitude (of equals, the first) positive.
template <std::size_t M>
VSMAX_HOST_DEVICE std::array<double, M> with_positive_peak(std::array<double, M> u) {
  double peak = u[0];
  for (std::size_t i = 1; i < M; ++i)
    if (std::abs(u[i]) > std::abs(peak)) peak = u[i];
  if (peak < 0.0)
    for (std::size_t i = 0; i < M; ++i) u[i] = -u[i];
  return u;
}

// A bubble sort: once unrolled, its indices are constants, so that everything stays in registers.
template <std::size_t M>
VSMAX_HOST_DEVICE void sort_descending(SymmetricEigen<M>& eigen) {
  VSMAX_UNROLL
  for (std::size_t sorted = 1; sorted < M; ++sorted) {
    VSMAX_UNROLL
    for (std::size_t k = 0; k + sorted < M; ++k) {
      if (!(eigen.values[k] < eigen.values[k + 1])) continue;
      const double value = eigen.values[k];
      eigen.values[k] = eigen.values[k + 1];
      eigen.values[k + 1] = value;
      for (std::size_t i = 0; i < M; ++i) {
        const double entry = eigen.vectors[k][i];
        eigen.vectors[k][i] = eigen.vectors[k + 1][i];
        eigen.vectors[k + 1][i] = entry;
      }
    }
  }
}

template <std::size_t M>
VSMAX_HOST_DEVICE bool is_finite(const SquareMatrix<M>& s) {
  bool finite = true;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < M; ++j) finite = finite && std::isfinite(s[i][j]);
  return finite;
}

}  // namespace detail

// All NaN unless every entry is finite.
template <std::size_t M>
VSMAX_HOST_DEVICE SymmetricEigen<M> symmetric_eigen(SquareMatrix<M> s) {
  SymmetricEigen<M> result;
  // With a NaN on the diagonal, the rotations could return vectors that look valid.
  if (!detail::is_finite(s)) {
    for (std::size_t k = 0; k < M; ++k) {
      result.values[k] = std::numeric_limits<double>::quiet_NaN();
      for (std::size_t i = 0; i < M; ++i) result.vectors[k][i] = result.values[k];
    }
    return result;
  }

  // Convergence is quadratic; the largest M here, 4, takes five sweeps. The bound only guarantees
  // termination.
  constexpr int kMaxSweeps = 16;
  SquareMatrix<M> basis{};
  for (std::size_t i = 0; i < M; ++i) basis[i][i] = 1.0;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0.0;
    for (std::size_t p = 0; p < M; ++p)
      for (std::size_t q = p + 1; q < M; ++q) off += std::abs(s[p][q]);
    if (off == 0.0) break;
    VSMAX_UNROLL
    for (std::size_t p = 0; p < M; ++p) VSMAX_UNROLL
    for (std::size_t q = p + 1; q < M; ++q) detail::jacobi_rotate(s, basis, p, q);
  }

  for (std::size_t k = 0; k < M; ++k) {
    result.values[k] = s[k][k];
    result.vectors[k] = detail::with_positive_peak(basis[k]);
  }
  detail::sort_descending(result);
  return result;
}

// How close two eigenvalues may come before the derivative is damped: 1/gap is replaced by
// gap/(gap^2 + guard^2), which never exceeds 1/(2 guard) and is off by (guard/gap)^2 otherwise.
inline constexpr double kEigenGuard = 1e-4;

// dL/dS, symmetric, from dL/du of the leading eigenvector u (Eq. 23). Finite for every finite S.
template <std::size_t M>
VSMAX_HOST_DEVICE SquareMatrix<M> leading_eigenvector_backward(const SymmetricEigen<M>& eigen,
                                                               const std::array<double, M>& grad,
                                                               double guard = kEigenGuard) {
  const auto& u = eigen.leading();
  std::array<double, M> pulled{};  // sum_k (u_k . grad) / gap_k * u_k
  for (std::size_t k = 1; k < M; ++k) {
    const double gap = eigen.values[0] - eigen.values[k];
    const double inverse_gap = gap / (gap * gap + guard * guard);
    const double weight = dot(eigen.vectors[k], grad) * inverse_gap;
    for (std::size_t i = 0; i < M; ++i) pulled[i] += weight * eigen.vectors[k][i];
  }
  SquareMatrix<M> result{};
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < M; ++j) result[i][j] = 0.5 * (pulled[i] * u[j] + u[i] * pulled[j]);
  return result;
}

}  // namespace vsmax
