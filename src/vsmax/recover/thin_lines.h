// SPDX-License-Identifier: Apache-2.0
// Reads thin lines from the image itself, by the posterior of all lines (Eq. 50 to 54). This is
// more precise than any accumulator and knows its own error, but holds only for white noise.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vsmax/evidence/evidence.h"
#include "vsmax/hough/grid.h"
#include "vsmax/posterior/line_estimator.h"
#include "vsmax/recover/stages.h"

namespace vsmax {

// Keeps its memory from call to call.
class ThinLines {
 public:
  // The strongest line of the evidence; empty unless the noise beside `found`, the accumulator's
  // line, is white. `reach`: reach_of_line. `dark`: whether that line is dark; empty if only bright
  // lines are wanted.
  std::optional<LineInFrame> find(const Evidence& evidence, PixelLine found, double reach,
                                  std::optional<bool> dark);

  // Refines lines that were found in the accumulator, if the noise beside all of them is white.
  // Their confidence stays the same.
  void refine(const Evidence& evidence, double reach, std::span<LineInFrame> lines);

 private:
  LineEstimator& estimator_for(const ImageFrame& frame);
  std::span<const float> bright_lines(const Evidence& evidence, bool dark);

  std::optional<LineEstimator> estimator_;
  std::vector<float> negative_;
  bool dark_ = false;  // polarity of the line found last
};

// How far from a line that was read off the accumulator a thin line's pixels may lie: the grid is
// coarse in large images, above all towards the line's ends.
double reach_of_line(const HoughGrid& grid);

// Whether neighbouring pixels beside these lines, farther than `reach`, are uncorrelated. Also true
// if there is no noise at all.
bool white_beside(std::span<const float> pixels, const ImageFrame& frame,
                  std::span<const PixelLine> lines, double reach);

// Whether the values beside these bright lines are those of clipped normal noise or of no noise at
// all, as opposed to dots, speckle, or the few grey values of a wall.
bool noise_is_gaussian(std::span<const float> pixels, const ImageFrame& frame,
                       std::span<const PixelLine> lines, double reach);

}  // namespace vsmax
