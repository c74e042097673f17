// SPDX-License-Identifier: Apache-2.0
// The two covers of the space of lines, and the one rule for stepping across the seam. On the
// single cover (T rows) theta = 0 and pi are glued with a flip of rho, a Moebius strip (Eq. 13); on
// the double cover (2T rows, theta over the full circle) they are glued without one (Eq. 12).
#pragma once

#include "vsmax/base/host_device.h"

namespace vsmax {

enum class Cover { kSingle, kDouble };

// A row of an accumulator, and whether rho runs backwards in it.
struct SeamRow {
  int row = 0;
  bool flipped = false;
};

// The row at index t, for any t within one period of the `rows` rows of the cover.
VSMAX_HOST_DEVICE inline SeamRow row_across_seam(Cover cover, int rows, int t) {
  const bool outside = t < 0 || t >= rows;
  return {t < 0 ? t + rows : (t >= rows ? t - rows : t), outside && cover == Cover::kSingle};
}

}  // namespace vsmax
