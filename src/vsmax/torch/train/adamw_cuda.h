// SPDX-License-Identifier: Apache-2.0
// AdamW on CUDA: one kernel for all parameters.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "vsmax/torch/train/adamw_numbers.h"

namespace vsmax {

// Vectors of one length, on the device.
struct AdamWVectors {
  float* values;
  const float* gradient;
  float* means;
  float* squares;
  float* average;  // null: none
  std::int64_t length;
};

// `numbers` and `clip`, a factor of the gradient (null: 1), are on the device as well: a CUDA graph
// is replayed with whatever they hold then. Each element is computed by itself, so the result does
// not depend on the order.
cudaError_t adamw_cuda(const AdamWVectors& vectors, const AdamWSettings& settings,
                       const AdamWNumbers* numbers, const float* clip, cudaStream_t stream);

}  // namespace vsmax
