// SPDX-License-Identifier: Apache-2.0
// Internal: every kind of synthetic photograph with its lines.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/drawn_photos.h"
#include "vsmax/torch/photos/random_fields.h"

namespace vsmax {

struct LabelledScenes {
  torch::Tensor images;  // [B, 3, H, W]: as a camera takes them, except for crop rows
  torch::Tensor lines;   // [B, K, 2]: theta, rho / D; NaN for none
};

// Horizons are at most `tilt` radians from level.
LabelledScenes draw_labelled(SceneKind kind, const Canvas& canvas, double tilt);

}  // namespace vsmax
