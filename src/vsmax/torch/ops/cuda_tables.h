// SPDX-License-Identifier: Apache-2.0
// Internal: the fixed tables of the operators on a CUDA device, made once and kept.
#pragma once

#include <torch/types.h>

#include "vsmax/hough/hough_cuda.h"
#include "vsmax/readout/veronese_cuda.h"
#include "vsmax/torch/ops/op_kernels.h"

namespace vsmax::ops {

// The view points into the tensors.
struct HoughTable {
  HoughTableOnDevice view;
  torch::Tensor rows, edges, cosines, sines;
};

struct ReadoutTable {
  ReadoutTableOnDevice view;
  torch::Tensor coordinates;
};

// Kept to the end of the program: a reference stays good, and so does the pointer in a CUDA graph
// that was captured. The price is memory for every grid and size of image that was ever seen.
const HoughTable& hough_table(const HoughGrid& grid, torch::Device device);
const ReadoutTable& readout_table(const ReadoutShape& shape, torch::Device device);

}  // namespace vsmax::ops
