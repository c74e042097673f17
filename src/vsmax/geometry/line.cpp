// SPDX-License-Identifier: Apache-2.0
#include "vsmax/geometry/line.h"

#include <cmath>

namespace vsmax {

LineVector vector_from_line(UnitLine line) {
  if (std::isinf(line.rho)) return {0.0, 0.0, line.rho > 0.0 ? -1.0 : 1.0};
  const double scale = 1.0 / std::hypot(1.0, line.rho);
  return {std::cos(line.theta) * scale, std::sin(line.theta) * scale, -line.rho * scale};
}

double angle_between(double theta_a, double theta_b) {
  return projective_angle<2>({std::cos(theta_a), std::sin(theta_a)},
                             {std::cos(theta_b), std::sin(theta_b)});
}

}  // namespace vsmax
