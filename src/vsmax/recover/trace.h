// SPDX-License-Identifier: Apache-2.0
// The intermediate results of the stages, for figures and analysis.
#pragma once

#include <optional>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {

struct RecoveryTrace {
  GrayImage evidence;                // in the working frame
  std::optional<HoughGrid> grid;     // of the working frame
  std::vector<float> accumulator;    // T x R, the plain Hough transform of the evidence
  std::vector<float> probabilities;  // T x R; both sheets of the double cover added; the hard
                                     // readout has none and leaves the values it chose from
  std::vector<PixelLine> lines;      // in the working frame, in the order of the recovery
  // Pixels of the image that one of the working frame is wide; nothing if width and height differ
  // by more than rounding.
  std::optional<double> reduction = 1.0;
};

}  // namespace vsmax
