// SPDX-License-Identifier: Apache-2.0
// The image in grey at some size, the recovered lines over it, and the words that go with them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "draw/canvas.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::drawing {

// [0, 1] becomes black to white.
Canvas gray_picture(const GrayImage& image, int width, int height);

// Where a point of the image, given from its centre, lies in a picture of this size.
Point position_in_picture(const ImageFrame& frame, int width, int height,
                          std::array<double, 2> point);

// As wide as suits a picture of this size, so that it looks the same at any.
double line_width_for(int width, int height);

// Draws every line that meets the image, from edge to edge of the picture.
void draw_lines(Canvas& picture, const ImageFrame& frame, const Recovery& recovery);

// "theta 30.00 deg", "rho -4.00 px", "confidence 0.97", and whatever else a reader must know. Text
// that belongs together is one item.
std::vector<std::string> describe(const Recovery& recovery);

}  // namespace vsmax::drawing
