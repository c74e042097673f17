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

// The same on CUDA in two parts, so that a CUDA graph can capture the second: the host writes
// staged_sample_bytes() for each sample, and the device renders the samples from a copy of these
// bytes in its own memory. For builds with CUDA.
std::size_t staged_sample_bytes();
void stage_samples(const std::vector<LineSample>& samples, std::uint8_t* to);
torch::Tensor render_staged(const ImageFrame& frame, const torch::Tensor& staged, int64_t count);

}  // namespace vsmax
