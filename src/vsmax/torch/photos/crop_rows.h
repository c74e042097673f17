// SPDX-License-Identifier: Apache-2.0
// Synthetic photographs of a field: rows of plants in perspective, on stony and furrowed ground,
// with weeds, shadows and glare. Drawn from torch's default generator.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/random_fields.h"

namespace vsmax {

struct CropRows {
  torch::Tensor images;  // [B, 3, H, W], about [0, 1]
  torch::Tensor rows;    // [B, K, 2]: theta, rho / D of every row, along the stems; some lie
                         // outside the picture
};

CropRows draw_crop_rows(const Canvas& canvas);

}  // namespace vsmax
