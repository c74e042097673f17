// SPDX-License-Identifier: Apache-2.0
// From logits to lines on CUDA: softmax, Veronese barycentre, leading eigenvector (Eq. 15, 17, 20)
// and the EA-score to expect, in two launches. For inference; training has the operators of
// veronese_cuda.h and leading_line_cuda.h.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"
#include "vsmax/hough/cells.h"
#include "vsmax/readout/veronese_cuda.h"

namespace vsmax {

struct LineOnDevice {
  PixelLine line;         // canonical; not finite for a line at infinity or if a logit is NaN
  double expected_score;  // the sum of p(cell) EA(line, cell), as in recover/confidence.h
  double log_sum;         // log of the sum of exp(logit / temperature)

  friend bool operator==(const LineOnDevice&, const LineOnDevice&) = default;
};

struct LineReadoutOnDevice {
  CellShape shape;  // on the logits' cover
  ImageFrame frame;
  double temperature;
  ReadoutTableOnDevice table;
  const double* midpoints;  // T x R x (x, y) of the visible parts of the cells' lines; NaN if none
};

// The number of doubles in the scratch memory of line_readout_cuda.
std::size_t line_readout_cuda_scratch(const CellShape& shape, std::int64_t batch);

// logits: batch x rows x R; lines: batch. The result for an image does not depend on the others.
cudaError_t line_readout_cuda(const LineReadoutOnDevice& readout, const float* logits,
                              std::int64_t batch, double* scratch, LineOnDevice* lines,
                              cudaStream_t stream);

}  // namespace vsmax
