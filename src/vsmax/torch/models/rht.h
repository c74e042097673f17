// SPDX-License-Identifier: Apache-2.0
// RHT, the learned heat map of Deep Hough Transform: its target and its readout, both on the
// Moebius strip.
#pragma once

#include <torch/types.h>

#include <optional>

#include "vsmax/hough/cells.h"

namespace vsmax {

// exp(-d^2 / (2 width^2)) with d the distance in bins to the nearest image of the line's cell;
// truth: (theta, rho / D), [B, 2] -> [B, T, R].
torch::Tensor rht_target(const CellShape& shape, const torch::Tensor& truth, double width);

// The target of the Deep Hough Transform's published code: a single cell after a 5x5 Gaussian blur,
// scaled to a maximum of 1; it does not continue across the seam.
torch::Tensor blurred_rht_target(const CellShape& shape, const torch::Tensor& truth, double width);

// Cells with a probability above this belong to a line.
inline constexpr float kRhtThreshold = 0.01F;

// Of the connected components (8 neighbours, across the seam) of the cells above the threshold,
// takes the one with the largest sum of probabilities and returns its probability-weighted mean
// cell, unrolled across the seam starting at its highest cell. Empty if no cell is above the
// threshold.
std::optional<UnitLine> rht_readout(Cells<const float> probabilities);

// The readout of the published code, which keeps every component as a line, reduced to one line:
// the unweighted mean cell of the first component in order of angle and offset, with 4 neighbours
// and not across the seam.
std::optional<UnitLine> first_rht_readout(Cells<const float> probabilities);

}  // namespace vsmax
