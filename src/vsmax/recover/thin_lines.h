// SPDX-License-Identifier: Apache-2.0
// Reads thin lines from the image itself, by the posterior of all lines. That is more precise than
// any accumulator and knows its own error, but it holds for white noise only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vsmax/evidence/evidence.h"
#include "vsmax/posterior/line_estimator.h"
#include "vsmax/recover/stages.h"

namespace vsmax {

// Keeps its memory from call to call.
class ThinLines {
 public:
  // The strongest line of the evidence, if the noise beside `found`, which the accumulator says is
  // the line, is white. `dark`: what kind of line that is; empty if only bright ones are wanted.
  std::optional<LineInFrame> find(const Evidence& evidence, PixelLine found,
                                  std::optional<bool> dark);

  // Makes lines that were found in the accumulator more precise, if the noise beside all of them is
  // white. Their confidence stays.
  void refine(const Evidence& evidence, std::vector<LineInFrame>& lines);

 private:
  LineEstimator& estimator_for(const ImageFrame& frame);
  std::span<const float> bright_lines(const Evidence& evidence, bool dark);

  std::optional<LineEstimator> estimator_;
  std::vector<float> negative_;
  bool dark_ = false;  // of the line found last
};

// Whether neighbouring pixels are independent of each other, beside these lines. So they are where
// there is no noise at all.
bool white_beside(std::span<const float> pixels, const ImageFrame& frame,
                  std::span<const PixelLine> lines);

// Whether the values beside these lines, which are brighter, are those of clipped normal noise, or
// of none: not dots, speckle, or the few grey values of a wall.
bool noise_is_gaussian(std::span<const float> pixels, const ImageFrame& frame,
                       std::span<const PixelLine> lines);

}  // namespace vsmax
