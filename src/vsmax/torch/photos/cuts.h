// SPDX-License-Identifier: Apache-2.0
// Synthetic pictures with one to four lines: the plane is cut into parts of different colour and
// texture, or crossed by thin bands, with boxes in front. Drawn from torch's default generator.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/random_fields.h"

namespace vsmax {

struct Cuts {
  torch::Tensor images;  // [B, 3, H, W], about [0, 1]
  torch::Tensor truth;   // [B, 4, 2]: theta, rho / D of each cut; NaN for none
};

Cuts draw_cuts(const Canvas& canvas);

}  // namespace vsmax
