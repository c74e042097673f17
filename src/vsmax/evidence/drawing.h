// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vsmax/image/image_view.h"

namespace vsmax {

// Whether an image was drawn by a program rather than taken by a camera: between its darkest and
// its brightest values there is hardly anything, or mostly areas of exactly one value; or of one
// value but for slight noise (Eq. 59).
bool is_drawing(const ImageView& image);

}  // namespace vsmax
