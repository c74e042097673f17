// SPDX-License-Identifier: Apache-2.0
// Rendering and noise on CUDA, by the same code for a pixel as on the CPU (synthetic_line.h): the
// line covers the same pixels, and the noise differs only in the last bits of logarithm and cosine.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "vsmax/data/synthetic_line.h"

namespace vsmax {

struct SampleOnDevice {
  LineInk ink;
  SampleKey key;
  float sigma;
};

// samples: count, on the device; images: count x height x width, overwritten.
cudaError_t render_samples_cuda(const SampleOnDevice* samples, std::int64_t count, int width,
                                int height, float* images, cudaStream_t stream);

}  // namespace vsmax
