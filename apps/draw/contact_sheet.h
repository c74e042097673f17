// SPDX-License-Identifier: Apache-2.0
// Many small images with their lines in one picture.
#pragma once

#include <span>
#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::drawing {

// Arranges images of the same size row by row, each with its lines drawn on it.
RgbImage contact_sheet(std::span<const RgbImage> images,
                       std::span<const std::vector<PixelLine>> lines);

}  // namespace vsmax::drawing
