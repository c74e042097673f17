// SPDX-License-Identifier: Apache-2.0
// From grey values to the evidence that votes: placed in the frame the model works in. Bright
// pixels are evidence of a line; for dark ones there is negative().
#pragma once

#include <optional>

#include "vsmax/evidence/area_average.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/image.h"

namespace vsmax {

// Throws Error naming the pixel if a value is NaN or infinite, or if the sizes do not agree.
void require_finite(const GrayImage& image);

// Throws Error for an image below 2x2, in which no line has a direction.
void require_extent(const GrayImage& image);

// White for black: a dark line becomes a bright one.
GrayImage negative(GrayImage image);

// How a point of the original image maps into the working frame, both from their centres:
// x_work = scale_x x + shift_x, y_work = scale_y y + shift_y (Eq. 26).
struct Placement {
  double scale_x = 1.0;
  double scale_y = 1.0;
  double shift_x = 0.0;
  double shift_y = 0.0;

  // A line of the working frame, in pixels of the original image.
  PolarLine to_original(PolarLine line) const;
};

struct PlacedImage {
  GrayImage image;
  Placement placement;
};

// Brings an image into the frame a learned model was trained on: a larger one is area-averaged on
// its longer side, a smaller one keeps its pixels, and what remains is filled with black.
// Keeps its memory from call to call.
class FramePlacer {
 public:
  // What is returned lasts until the next call.
  const PlacedImage& operator()(const GrayImage& image, const ImageFrame& frame);

 private:
  AreaAverage average_;
  GrayImage content_;
  PlacedImage placed_;
};

PlacedImage place_in_frame(const GrayImage& image, const ImageFrame& frame);

}  // namespace vsmax
