// SPDX-License-Identifier: Apache-2.0
// The EA-score of Zhao et al. (Deep Hough Transform, TPAMI 2021) as the paper defines it (Eq. 27):
// EA = (S_theta * S_d)^2, angular times positional agreement.
#pragma once

#include "vsmax/geometry/line.h"

namespace vsmax {

// Both lines with rho in pixels of `frame`. 0 where either line misses the image.
double ea_score(PolarLine predicted, PolarLine truth, const ImageFrame& frame);

}  // namespace vsmax
