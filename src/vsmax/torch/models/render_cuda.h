// SPDX-License-Identifier: Apache-2.0
// Internal: rendering on a CUDA device.
#pragma once

#include "vsmax/torch/models/render.h"

namespace vsmax {

// images: samples x H x W, contiguous float32 on a CUDA device; at least one sample.
void render_samples_cuda(const ImageFrame& frame, const std::vector<LineSample>& samples,
                         torch::Tensor& images);

}  // namespace vsmax
