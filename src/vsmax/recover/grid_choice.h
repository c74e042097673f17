// SPDX-License-Identifier: Apache-2.0
// The accumulator's grid for a model and an image.
#pragma once

#include "vsmax/hough/grid.h"
#include "vsmax/recover/model_spec.h"

namespace vsmax {

// Learned models keep the grid they were trained on; with learned evidence, only its number of
// bins, for the frame of the evidence. The others take the number of bins from the spec, or else
// one that suits an image of this size.
HoughGrid grid_for(const ModelSpec& spec, const ImageFrame& image);

}  // namespace vsmax
