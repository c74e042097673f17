// SPDX-License-Identifier: Apache-2.0
// The embedding of a cell factors into functions of theta and of rho (Eq. 18), so that three
// moments per row of the accumulator replace six products per cell. Host and device run the same
// code.
#pragma once

#include <cstddef>
#include <numbers>

#include "vsmax/base/host_device.h"
#include "vsmax/geometry/embedded_line.h"

namespace vsmax {

// 1 / (1 + rho^2), the square of the factor that normalises Eq. 3; rho in units of D.
VSMAX_HOST_DEVICE inline double embedding_weight(double rho) { return 1.0 / (1.0 + rho * rho); }

// Sums over the cells of a row: their masses, and the masses times w, w rho and w rho^2 with
// w = 1 / (1 + rho^2).
struct RowMoments {
  double mass = 0.0;
  double zeroth = 0.0;
  double first = 0.0;
  double second = 0.0;

  // weight: embedding_weight(rho).
  VSMAX_HOST_DEVICE void add(double cell_mass, double rho, double weight) {
    const double p = cell_mass * weight;
    mass += cell_mass;
    zeroth += p;
    first += p * rho;
    second += p * rho * rho;
  }

  // Adds a row, whose normal is (cosine, sine), to the mean embedding (Eq. 17).
  VSMAX_HOST_DEVICE void add_to(LineEmbedding& mean, double cosine, double sine) const {
    constexpr double kRoot2 = std::numbers::sqrt2;
    mean[0] += zeroth * cosine * cosine;
    mean[1] += zeroth * sine * sine;
    mean[2] += second;
    mean[3] += zeroth * kRoot2 * cosine * sine;
    mean[4] -= first * kRoot2 * cosine;
    mean[5] -= first * kRoot2 * sine;
  }
};

// grad . v_2(theta, rho) along a row, as a polynomial of rho times embedding_weight(rho) (Eq. 19).
struct RowGradient {
  double constant, linear, quadratic;

  VSMAX_HOST_DEVICE RowGradient(const LineEmbedding& grad, double cosine, double sine)
      : constant(grad[0] * cosine * cosine + grad[1] * sine * sine +
                 std::numbers::sqrt2 * grad[3] * cosine * sine),
        linear(-std::numbers::sqrt2 * (grad[4] * cosine + grad[5] * sine)),
        quadratic(grad[2]) {}

  VSMAX_HOST_DEVICE double at(double rho, double weight) const {
    return weight * (constant + rho * (linear + rho * quadratic));
  }
};

}  // namespace vsmax
