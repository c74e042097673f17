// SPDX-License-Identifier: Apache-2.0
// The neighbourhood of the most probable cell, large enough to see how the weight is spread and
// where between the cells the recovered line lies.
#pragma once

#include <string>
#include <vector>

#include "draw/canvas.h"
#include "vsmax/hough/grid.h"

namespace vsmax::drawing {

inline constexpr int kZoomCells = 9;  // to a side

// Draws the inset into that corner of the plot which lies farthest from the peak, in the shades of
// the plot (T x R), across the seam where it is near. line: null if there is none.
void draw_zoom_inset(Canvas& plot, const HoughGrid& grid, const std::vector<float>& shades,
                     Cell peak, const PixelLine* line, const std::string& label);

}  // namespace vsmax::drawing
