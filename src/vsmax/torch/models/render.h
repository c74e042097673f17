// SPDX-License-Identifier: Apache-2.0
// Synthetic lines rendered and noised on the device they train on, by the core's counter-based
// generator: the CPU's images are the core's own, and those of CUDA agree with them to 1e-5.
#pragma once

#include <torch/types.h>

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

}  // namespace vsmax
