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

// `numbers` and `clip`, a factor for the gradient (null: 1), are in device memory as well, so that
// each replay of a CUDA graph reads their current values. The elements are independent of each
// other, so the result does not depend on their order.
cudaError_t adamw_cuda(const AdamWVectors& vectors, const AdamWSettings& settings,
                       const AdamWNumbers* numbers, const float* clip, cudaStream_t stream);

}  // namespace vsmax
