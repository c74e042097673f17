// SPDX-License-Identifier: Apache-2.0
// Synthetic lines rendered and noised on the device they train on, by the core's counter-based
// generator: the CPU's images are the core's own, and those of CUDA agree with them to 1e-5.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/data/sample_key.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

struct LineSample {
  PixelLine line;
  double sigma = 0.0;
  SampleKey key;
};

// [B, H, W] float32 on `device`.
torch::Tensor render_samples(const ImageFrame& frame, const std::vector<LineSample>& samples,
                             torch::Device device);

// The same on CUDA in two parts, of which a CUDA graph can hold the second: what the host writes,
// so many bytes for each sample, and rendering it from the device's memory. For builds with CUDA.
std::size_t staged_sample_bytes();
void stage_samples(const std::vector<LineSample>& samples, std::uint8_t* to);
torch::Tensor render_staged(const ImageFrame& frame, const torch::Tensor& staged, int64_t count);

}  // namespace vsmax
