// SPDX-License-Identifier: Apache-2.0
// How far to trust a line (Eq. 25).
#pragma once

#include "vsmax/hough/cells.h"

namespace vsmax {

// For a distribution on the single cover: the gap between the barycentre's leading eigenvalues
// times the mass within two bins of the line, across the seam as well.
double distribution_confidence(Cells<const float> probabilities, double gap, UnitLine line);

// For the hard readout, which has no distribution: by how much the highest cell exceeds the highest
// one elsewhere, as a fraction of itself.
double peak_confidence(Cells<const float> accumulator, Cell peak);

}  // namespace vsmax
