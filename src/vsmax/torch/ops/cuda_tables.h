// SPDX-License-Identifier: Apache-2.0
// Internal: the constant tables of the operators on a CUDA device, made once and kept.
#pragma once

#include <torch/types.h>

#include "vsmax/hough/grid.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/readout/veronese_cuda.h"

namespace vsmax::ops {

// Kept until the program ends: a reference stays valid, and so does a pointer in a captured CUDA
// graph. The price is memory for every grid and image size ever seen. The first call for a grid
// waits for the copy to the device, later ones do not; it may be made while a graph is captured.
const HoughTableOnDevice& hough_table(const HoughGrid& grid, torch::Device device);
const ReadoutTableOnDevice& readout_table(const CellShape& shape, torch::Device device);

}  // namespace vsmax::ops
