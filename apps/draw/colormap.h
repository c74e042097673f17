// SPDX-License-Identifier: Apache-2.0
// A colour scale whose brightness rises with the value.
#pragma once

#include "draw/canvas.h"

namespace vsmax::drawing {

// Dark violet at 0, through green, to bright yellow at 1 (viridis by S. van der Walt and N. Smith,
// CC0). Values outside [0, 1] are clipped; NaN counts as 0.
Color viridis(double value);

}  // namespace vsmax::drawing
