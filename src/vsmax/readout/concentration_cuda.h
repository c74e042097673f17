// SPDX-License-Identifier: Apache-2.0
// concentration.h on CUDA, one thread per image. Value: float or double.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "vsmax/hough/cells.h"

namespace vsmax {

// logits: batch x rows x R; log_sums: batch; barycentres: batch x 6; lines: batch x 2, (theta,
// rho / D); results: batch, overwritten.
template <class Value>
cudaError_t concentration_cuda(const CellShape& shape, double temperature, const Value* logits,
                               const double* log_sums, const Value* barycentres, const Value* lines,
                               std::int64_t batch, Value* results, cudaStream_t stream);

}  // namespace vsmax
