// SPDX-License-Identifier: Apache-2.0
// How much to trust a line (Eq. 25).
#pragma once

#include "vsmax/geometry/line.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// The sum of `values` (T x R) over the cells within two bins of the line, across the seam as well.
// rho in pixels of the grid's frame.
double mass_near(const HoughGrid& grid, const float* values, PolarLine line);

// For a distribution: the gap of the barycentre's leading eigenvalues times the mass near the line.
double distribution_confidence(const HoughGrid& grid, const float* probabilities, double gap,
                               PolarLine line);

// For the hard readout, which has no distribution: by how much the highest cell stands over the
// highest one elsewhere, as a share of itself.
double peak_confidence(const HoughGrid& grid, const float* accumulator, Cell peak);

}  // namespace vsmax
