// SPDX-License-Identifier: Apache-2.0
// Synthetic pictures without a line, so that a model learns when to answer "none". Most are
// textures with a direction, which a Hough transform mistakes for lines most easily.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/random_fields.h"

namespace vsmax {

// White noise, clouds, texture, gradients, blobs, bark, grass, weave, gravel, leaves, ripples or
// streaky clouds, which come twice as often as the others: [B, 3, H, W], about [0, 1]. Drawn from
// torch's default generator.
torch::Tensor draw_blanks(const Canvas& canvas);

}  // namespace vsmax
