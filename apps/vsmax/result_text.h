// SPDX-License-Identifier: Apache-2.0
// What `vsmax detect` prints for an image.
#pragma once

#include <array>
#include <string>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::app {

// From the image centre to pixel coordinates, where the top-left pixel's centre is (0, 0).
inline std::array<double, 2> pixel(std::array<double, 2> from_centre, const ImageFrame& frame) {
  return {from_centre[0] + frame.half_width(), from_centre[1] + frame.half_height()};
}

// One JSON object on one line, with all lines of the image.
std::string json_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery);

// One row per line, or one that says that there is none; without the last newline.
std::string plain_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery);

}  // namespace vsmax::app
