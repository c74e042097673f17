// SPDX-License-Identifier: Apache-2.0
// The only definition of which cell a pixel votes for (Eq. 7), for host and device, and of the
// symmetries of these votes. It uses double precision and must be compiled without fused
// multiply-add, which would break ties differently.
#pragma once

#include "vsmax/base/host_device.h"

namespace vsmax {

// The grid's mirror symmetries (grid.h): angles up to T/2 and half of the lines of pixels, the
// middle one included, stand for all. Angle t has a mirror image T - t unless that is t itself.
VSMAX_HOST_DEVICE inline int half_thetas(int thetas) { return thetas / 2 + 1; }
VSMAX_HOST_DEVICE inline int half_lines(int lines) { return (lines + 1) / 2; }
VSMAX_HOST_DEVICE inline bool has_mirror(int t, int thetas) { return t != 0 && 2 * t != thetas; }

// Like std::round, which is a library call unless the target has SSE 4.1. The subtraction below is
// exact.
VSMAX_HOST_DEVICE inline int round_half_away(double value) {
  const int whole = static_cast<int>(value);
  const double rest = value - whole;
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// The rho bin nearest to the pixel centre (x, y), ties away from zero, counted from the bin of
// rho = 0. (cosine, sine) is the angle's normal.
VSMAX_HOST_DEVICE inline int vote_bin(double x, double y, double cosine, double sine,
                                      double bin_width) {
  return round_half_away((x * cosine + y * sine) / bin_width);
}

}  // namespace vsmax
