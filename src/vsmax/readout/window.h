// SPDX-License-Identifier: Apache-2.0
// Several lines from one map of logits: its peaks, and VSmax in a window around each (Eq. 34).
#pragma once

#include <vector>

#include "vsmax/hough/cells.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {

// The window around a peak: three angles to either side and, in proportion to R / T, as many
// offsets, but at least three.
CellReach window_reach(const CellShape& shape);

// The cells of at least `least` that no other cell in their window exceeds, the highest first;
// among equal cells in a window, only the first counts. Windows continue across the seam.
std::vector<Cell> find_peaks(Cells<const float> logits, CellReach reach, float least);

// VSmax with the softmax taken over the window only; all other cells have probability 0. The logits
// lie on the single cover and must be finite.
SoftReadout read_window(Cells<const float> logits, double temperature, Cell peak, CellReach reach,
                        Cells<float> probabilities);

}  // namespace vsmax
