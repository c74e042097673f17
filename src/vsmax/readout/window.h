// SPDX-License-Identifier: Apache-2.0
// Several lines from one map of logits: its peaks, and VSmax in a window around each (Eq. 34).
#pragma once

#include <vector>

#include "vsmax/hough/cells.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {

// The window around a peak: three angles to either side, and offsets as far as a line turns away
// from its middle over these angles.
CellReach window_reach(const CellShape& shape);

// The cells of at least `least` that no other cell in their window exceeds, the highest first; of
// equal cells the first counts. Windows continue across the seam.
std::vector<Cell> find_peaks(Cells<const float> logits, CellReach reach, float least);

// VSmax under the softmax of the window's cells only; all others have probability 0. The logits lie
// on the single cover and must be finite.
SoftReadout read_window(Cells<const float> logits, double temperature, Cell peak, CellReach reach,
                        Cells<float> probabilities);

}  // namespace vsmax
