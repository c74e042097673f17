// SPDX-License-Identifier: Apache-2.0
// The orientation of the camera, from EXIF. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "vsmax/image/image_file.h"

namespace vsmax {

// The orientation, 1 to 8, in the payload of a JPEG's APP1 marker; 1 (upright) if there is none or
// the data make no sense: broken metadata is no reason to reject the image.
int exif_orientation(std::span<const std::uint8_t> app1);

// Rotates and mirrors the stored image so that it is upright.
GrayImage make_upright(GrayImage stored, int orientation);
RgbImage make_upright(RgbImage stored, int orientation);

}  // namespace vsmax
