// SPDX-License-Identifier: Apache-2.0
// Several lines of one image, each read from a window around its peak (Eq. 34).
//
// A model that was trained with several lines has all of them as peaks of its logits. Any other
// model expects one line: the strongest is found and erased from the evidence, and the rest votes
// again, until nothing stands out.
#pragma once

#include <optional>
#include <vector>

#include "vsmax/evidence/evidence.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/stages.h"

namespace vsmax {

// Keeps its memory from call to call.
class SeveralLines {
 public:
  // Returns lines in the working frame, by falling confidence; no two closer than merge_distance.
  // The evidence must have contrast. `first` is a line that has already been found.
  std::vector<LineInFrame> operator()(const Model& model, Stages& stages, const Evidence& evidence,
                                      const ImageStatistics& statistics, const LinesWanted& wanted,
                                      const std::optional<LineInFrame>& first, int threads);

 private:
  double background_of_noise(Stages& stages, const Evidence& evidence,
                             const ImageStatistics& statistics, int threads);

  void erase(const Evidence& evidence, const LineInFrame& found);

  // The evidence without the lines found so far.
  std::vector<float> residual_;
  std::vector<float> residual_seen_;          // Evidence::seen
  std::vector<Gradient> residual_gradients_;  // where edges vote
};

// The chordal distance (Eq. 6) up to which two peaks count as one line: that of two adjacent angles
// of the grid.
double merge_distance(const HoughGrid& grid);

// Whether the chordal distance between two lines is at most `distance`.
bool closer_than(double distance, PixelLine one, PixelLine other, const ImageFrame& frame);

}  // namespace vsmax
