// SPDX-License-Identifier: Apache-2.0
// Evidence of edges between a brighter and a darker area: the gradient of the smoothed image.
#pragma once

#include <vector>

#include "vsmax/evidence/evidence.h"

namespace vsmax {

// Keeps its memory from call to call.
class EdgeEvidence {
 public:
  // A larger image is reduced until its longer side has this many pixels: the edges worth finding
  // are long, and those of texture are not.
  static constexpr int kLongestSide = 256;
  static ImageFrame working_frame(const ImageFrame& image);

  // gradients: g / (|g| + mean |g|), so that a strong edge counts no more than several weak ones
  // (Eq. 38), and 0 along the image's borders, which are not edges; pixels: the gradients' lengths.
  // The result is valid until the next call. Throws Error for an image below 2x2 and for a pixel
  // that is not finite.
  Evidence operator()(const ImageView& image);

 private:
  void smooth(const ImageFrame& frame);

  EvidenceStage convert_;
  AreaAverage average_;
  std::vector<float> smoothed_;
  std::vector<float> half_smoothed_;  // along the rows only
  std::vector<Gradient> gradients_;
  std::vector<float> strengths_;
};

}  // namespace vsmax
