// SPDX-License-Identifier: Apache-2.0
// Does the image show a thin line where the accumulator has a peak? A boat or a bright window makes
// a peak as well, but no line along the chord.
#pragma once

#include <span>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

// The share of the line's visible part that is brighter than both its sides (Eq. 47), by more than
// is usual beside the line: 1 for a line all along, about 0 where nothing is special, at least -1.
// The line may be off by `error` pixels. `sign` is -1 for a line darker than its sides.
double line_support(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
                    double error, float sign);

// For a line with a short visible part, as across a corner: by how much that part exceeds both its
// sides, in units of the highest that any part of the image does which is as long and runs in
// about the same direction (Eq. 48). One blade of grass or one crest of a wave fills such a part by
// chance, but there are more of its kind. Infinite for longer lines.
double distinction(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
                   double error, float sign);

}  // namespace vsmax
