// SPDX-License-Identifier: Apache-2.0
// The learned heat map of Deep Hough Transform (the paper's RHT baseline): its target and its
// readout, both on the Moebius strip: past the last angle comes the first with rho reversed.
#pragma once

#include <torch/types.h>

#include <optional>

#include "vsmax/geometry/line.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// exp(-d^2 / (2 width^2)) with d the distance in bins to the nearest image of the line's cell;
// truth: (theta, rho / D), [B, 2] -> [B, T, R].
torch::Tensor rht_target(const HoughGrid& grid, const torch::Tensor& truth, double width);

// Cells with a probability over this belong to a line.
inline constexpr float kRhtThreshold = 0.01F;

// Of the components (8 neighbours, across the seam) of the cells over the threshold, the one with
// the largest sum of probabilities; its probability-weighted mean cell, unrolled across the seam
// from its highest cell on. probabilities: T x R. rho in units of D; empty if no cell is over the
// threshold.
std::optional<PixelLine> rht_readout(const HoughGrid& grid, const float* probabilities);

}  // namespace vsmax
