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

// The image with every line that crosses it and the line's end points, each in the colour of its
// rank. Small images are enlarged by a whole factor to at most 640 pixels, those over 1600 reduced.
// Thin images are stretched.
RgbImage draw_overlay(const ImageView& image, const Recovery& recovery);

// The same in a picture of the given size.
RgbImage draw_overlay(const ImageView& image, const Recovery& recovery, const ImageFrame& size);

// The size for showing an image: enlarged by the largest whole factor that keeps its longer side
// within `enlarge_to`, or reduced so that its longer side is `reduce_to`. The shorter side is
// stretched to at least 64 pixels, below which lines in the picture could not be told apart.
ImageFrame display_size(const ImageFrame& image, int enlarge_to, int reduce_to);

// The position, in a picture of this size, of an image point given relative to the image centre.
Point position_in_picture(const ImageFrame& frame, double width, double height,
                          std::array<double, 2> from_centre);

// The line extended beyond the image at both ends. The visible segment ends at the outermost pixel
// centres, which lie well inside an enlarged picture.
Segment beyond_edges(PixelLine line, const Segment& visible, const ImageFrame& frame);

}  // namespace vsmax::drawing
