// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vsmax/image/image_view.h"

namespace vsmax {

// Whether an image is a drawing with slight noise, as from a scanner: most of it is as flat as its
// noise allows and has one of a few grey values (Eq. 59).
bool is_noisy_drawing(const ImageView& image);

}  // namespace vsmax
