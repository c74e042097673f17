// SPDX-License-Identifier: Apache-2.0
// The image with the recovered lines drawn over it.
#pragma once

#include <array>

#include "draw/canvas.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/image/gray_image.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::drawing {

// The image with every line that crosses it and the line's end points, each in the colour
// of its rank. Images up to 640 pixels are enlarged by a whole factor, those over 1600 are reduced.
RgbImage draw_overlay(const ImageView& image, const Recovery& recovery);

// The same as a picture of this size.
RgbImage draw_overlay(const ImageView& image, const Recovery& recovery, const ImageFrame& size);

// The size for showing an image: enlarged by the largest whole factor that keeps its longer side
// within `enlarge_to`, or reduced until that is `reduce_to`.
ImageFrame display_size(const ImageFrame& image, int enlarge_to, int reduce_to);

// Where a point of the image, given from its centre, lies in a picture of this size.
Point position_in_picture(const ImageFrame& frame, double width, double height,
                          std::array<double, 2> from_centre);

// The line from beyond one edge of the image to beyond the other. The visible segment ends at the
// outermost pixel centres, which lie well inside an enlarged picture.
Segment beyond_edges(PixelLine line, const Segment& visible, const ImageFrame& frame);

}  // namespace vsmax::drawing
