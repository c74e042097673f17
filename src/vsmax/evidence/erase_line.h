// SPDX-License-Identifier: Apache-2.0
// Explaining away: the evidence as it would be without a line that has been found.
#pragma once

#include <span>

#include "vsmax/geometry/gradient.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

// Replaces each pixel of a bright line by the mean of the two pixels that face each other across
// the line, just beyond its edges. The width is measured: the line extends to either side for as
// long as the mean along it stands out from the surroundings. `line` may be off by a few pixels.
void erase_line(std::span<float> pixels, const ImageFrame& frame, PixelLine line);

// The same for edges: sets the gradients near the line to 0.
void erase_edge(std::span<Gradient> gradients, const ImageFrame& frame, PixelLine line);

}  // namespace vsmax
