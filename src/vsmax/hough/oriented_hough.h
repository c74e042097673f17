// SPDX-License-Identifier: Apache-2.0
// The Hough transform of edges (Eq. 39): a pixel votes only for lines along its own edge, and its
// vote has a sign, so that the votes of one edge add up and those of a texture cancel.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "vsmax/geometry/gradient.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// Immutable and safe to share between threads.
class OrientedHough {
 public:
  explicit OrientedHough(HoughGrid grid) : grid_(std::move(grid)) {}

  const HoughGrid& grid() const { return grid_; }

  // Overwrites the votes and the sums of their squares, T x R each. Throws Error if the sizes do
  // not match the grid.
  void forward(std::span<const Gradient> gradients, std::span<float> votes,
               std::span<float> squares) const;

 private:
  HoughGrid grid_;
};

}  // namespace vsmax
