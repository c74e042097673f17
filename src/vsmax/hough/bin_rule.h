// SPDX-License-Identifier: Apache-2.0
// The one definition of which cell a pixel votes for (Eq. 7), for host and device. It is decided in
// double and must be compiled without fused multiply-add, which would move ties.
#pragma once

#include "vsmax/base/host_device.h"

namespace vsmax {

// Like std::round, which is a library call where the processor is not known to have SSE 4.1. The
// difference below is exact.
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
