// SPDX-License-Identifier: Apache-2.0
// Does the image show a thin line where the accumulator has a peak? A boat or a bright window makes
// a peak as well, but no line along the chord.
#pragma once

#include <span>

#include "vsmax/geometry/gradient.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

// The share of the line's visible part that is brighter than both its sides (Eq. 47), by more than
// is usual beside the line: 1 if the line shows all along, about 0 if nothing stands out, at least
// -1. The line may be off by `error` pixels. `sign` is -1 for a line darker than its sides.
double line_support(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
                    double error, float sign);

// For a line with a short visible part, such as one across a corner: by how much that part exceeds
// both its sides, relative to the most that any other piece of the image of the same length and
// about the same direction does (Eq. 48). A single blade of grass or wave crest may fill such a
// part by chance, but then there are others like it. Infinite for longer lines, and if there are
// too few pieces to compare with.
double distinction(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
                   double error, float sign);

// The share of the line's visible part along which an edge of at least this strength runs in its
// direction, always bright on the same side; the line may be off by `error` pixels.
double edge_coverage(std::span<const Gradient> gradients, const ImageFrame& frame, PixelLine line,
                     double error, float clear);

}  // namespace vsmax
