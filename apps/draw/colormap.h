// SPDX-License-Identifier: Apache-2.0
// From a number to a colour whose brightness the eye reads in the same order.
#pragma once

#include "draw/canvas.h"

namespace vsmax::drawing {

// Dark violet at 0, over green, to bright yellow at 1 (viridis of S. van der Walt and N. Smith,
// CC0). Values outside [0, 1] are clipped, what is no number is 0.
Color viridis(double value);

}  // namespace vsmax::drawing
