// SPDX-License-Identifier: Apache-2.0
// Internal: the operators' constant tables on a CUDA device, made once and kept.
#pragma once

#include <torch/types.h>

#include "vsmax/hough/grid.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/readout/veronese_cuda.h"

namespace vsmax::ops {

// Never freed, so references stay valid, and so do pointers in a captured CUDA graph. The price is
// memory for every grid and image size ever used. The first call for a grid waits for the copy to
// the device, later ones do not; even the first may be made during graph capture.
const HoughTableOnDevice& hough_table(const HoughGrid& grid, torch::Device device);
const ReadoutTableOnDevice& readout_table(const CellShape& shape, torch::Device device);

}  // namespace vsmax::ops
