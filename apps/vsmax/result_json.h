// SPDX-License-Identifier: Apache-2.0
// The answer for an image as one JSON object, on one line that ends with a newline. The program and
// the web page share it.
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

// With all lines of the image.
std::string json_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery);

// For an image without a result.
std::string json_failure(const std::string& name, const std::string& sentence);

}  // namespace vsmax::app
