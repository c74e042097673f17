// SPDX-License-Identifier: Apache-2.0
// The accumulator's grid for a model and an image.
#pragma once

#include "vsmax/hough/grid.h"
#include "vsmax/recover/model_spec.h"

namespace vsmax {

// Learned models keep the grid they were trained on (with learned evidence, its bins for the frame
// of the evidence). The others take as many bins as the spec says, or else as suit an image of this
// size.
HoughGrid grid_for(const ModelSpec& spec, const ImageFrame& image);

}  // namespace vsmax
