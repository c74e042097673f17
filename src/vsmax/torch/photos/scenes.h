// SPDX-License-Identifier: Apache-2.0
// Synthetic photographs of a horizon, to train on before or beside real ones: sky with clouds,
// hills in layers, water with waves in perspective, breakers, reflections and glitter, a beach, and
// things that stand or float in front. Drawn from torch's default generator.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/random_fields.h"

namespace vsmax {

struct Scenes {
  torch::Tensor images;  // [B, 3, H, W], about [0, 1]
  torch::Tensor truth;   // [B, 2]: theta, rho / D of the water's edge
};

// Horizons at most `tilt` radians from level.
Scenes draw_scenes(const Canvas& canvas, double tilt);

// As a camera would take them: gamma, blur, vignetting, noise; some in black and white.
torch::Tensor photographed(const torch::Tensor& images);

}  // namespace vsmax
