// SPDX-License-Identifier: Apache-2.0
// Several lines of one image, each read from a window around its peak (Eq. 34).
//
// A model that was trained with several lines has all of them as peaks of its logits. Any other
// model expects one line: the strongest is found, erased from the evidence, and the rest voted on
// again, until nothing stands out any more.
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
  // In the working frame, by falling confidence; no two closer than merge_distance. Needs evidence
  // with contrast. `first` is a line that was found already; the stages know whether it is dark.
  std::vector<LineInFrame> operator()(const Model& model, Stages& stages, const Evidence& evidence,
                                      const ImageStatistics& statistics, const LinesWanted& wanted,
                                      const std::optional<LineInFrame>& first, int threads);

 private:
  double background_of_noise(Stages& stages, const Evidence& evidence,
                             const ImageStatistics& statistics, int threads);

  void erase(const Evidence& evidence, PixelLine line, bool dark);

  // The evidence without the lines found so far.
  std::vector<float> residual_;
  std::vector<Gradient> residual_gradients_;  // where edges vote
};

// The chordal distance (Eq. 6) below which two peaks are taken for one line: that of two angles of
// the grid.
double merge_distance(const HoughGrid& grid);

}  // namespace vsmax
