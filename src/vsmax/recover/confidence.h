// SPDX-License-Identifier: Apache-2.0
// How far to trust a line.
#pragma once

#include <array>
#include <vector>

#include "vsmax/hough/cells.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// The expected EA-score of a line under a distribution on the single cover: the sum of
// p(cell) EA(line, cell) over all cells (Eq. 25).
class ExpectedScore {
 public:
  explicit ExpectedScore(const HoughGrid& grid);

  double operator()(Cells<const float> probabilities, PixelLine line) const;

 private:
  ImageFrame frame_;
  std::vector<std::array<double, 2>> midpoints_;  // of the cells' lines; NaN outside the image
};

// The EA-score to expect even if the right cell is certain, because the line may lie anywhere
// within it: the mean over the cell at the centre of the grid (Eq. 49).
double score_within_cell(const HoughGrid& grid);

// The probability that there is a line, w / (w + w0) with the weights of the cells, w = e^log_sum,
// and of the background, w0 = e^background (Eq. 35, 45).
double line_probability(double log_sum, double background);

}  // namespace vsmax
