// SPDX-License-Identifier: Apache-2.0
// The largest value of every 3x3 window, two rows and columns apart, on CUDA and on channels-last
// memory: B x H x W x C to B x H' x W' x C with H' = ceil(H / 2). Past the edges there is nothing.
// Of equal values the first of a window counts, row by row, and a NaN counts as the largest, both
// as in torch. Deterministic: in the backward pass each input collects its gradient from its
// windows, while torch's channels-last kernel adds up in any order.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "vsmax/base/host_device.h"

namespace vsmax {

struct PoolShape {
  std::int64_t batch;
  int rows, columns, channels;  // of the input

  VSMAX_HOST_DEVICE int pooled_rows() const { return (rows + 1) / 2; }
  VSMAX_HOST_DEVICE int pooled_columns() const { return (columns + 1) / 2; }
};

// places: for every output the place of its value in the window, 0 to 8, row by row. Value:
// bfloat16 or float.
template <class Value>
cudaError_t max_pool_cuda(const PoolShape& shape, const Value* input, Value* output,
                          std::uint8_t* places, cudaStream_t stream);

// grad, places: as output; grad_input: as input.
template <class Value>
cudaError_t max_pool_backward_cuda(const PoolShape& shape, const Value* grad,
                                   const std::uint8_t* places, Value* grad_input,
                                   cudaStream_t stream);

}  // namespace vsmax
