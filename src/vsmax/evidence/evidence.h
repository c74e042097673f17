// SPDX-License-Identifier: Apache-2.0
// The first stage: turns the pixels of an image into the evidence that votes, in the model's
// working frame. Bright pixels are evidence of a line.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "vsmax/evidence/area_average.h"
#include "vsmax/geometry/gradient.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/image_view.h"

namespace vsmax {

// How a point of the image maps into the working frame, both measured from their centres:
// x_work = scale_x x + shift_x, y_work = scale_y y + shift_y (Eq. 26).
struct Placement {
  double scale_x = 1.0;
  double scale_y = 1.0;
  double shift_x = 0.0;
  double shift_y = 0.0;

  // A line of the working frame as a line of the image.
  PixelLine image_from_work(PixelLine line) const;

  // How many pixels of the image one pixel of the working frame is wide.
  double reduction() const { return 1.0 / std::sqrt(scale_x * scale_y); }
};

struct Evidence {
  ImageFrame frame;               // the working frame
  std::span<const float> pixels;  // of the working frame
  std::span<const float> image;   // what the evidence was computed from, as floats
  Placement placement;
  std::span<const Gradient> gradients;  // of the working frame, where edges vote; otherwise empty
  float clear_edge = 0.0F;  // the least strength of an edge that is no mere quantisation step
  // Where thin lines must be seen (Eq. 47), if not in `pixels`, whose ground was taken away.
  std::span<const float> seen{};
};

// Keeps its memory from call to call.
class EvidenceStage {
 public:
  // Without a frame of its own the model works at the image's size. Otherwise a larger image is
  // area-averaged until it fits, a smaller one keeps its pixels, and the rest of the frame is
  // black. The result is valid until the next call and while the image exists. Throws Error for an
  // image below 2x2, in which no line has a direction, and for a pixel that is not finite.
  // `negative` swaps black and white first: a dark line becomes a bright one.
  Evidence operator()(const ImageView& image, const std::optional<ImageFrame>& frame,
                      bool negative = false);

 private:
  std::vector<float> converted_;  // the image, unless its pixels can be used in place
  AreaAverage average_;
  std::vector<float> reduced_;
  std::vector<float> placed_;
};

// Throw Error for an image below 2x2, in which no line has a direction, and for a pixel that is not
// finite.
void require_extent(const ImageFrame& size);
void require_finite(std::span<const float> pixels, const ImageFrame& size);

}  // namespace vsmax
