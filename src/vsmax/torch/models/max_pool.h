// SPDX-License-Identifier: Apache-2.0
// Internal.
#pragma once

#include <torch/types.h>

namespace vsmax {

// The largest value of every 3x3 window, two rows and columns apart, padded by 1: [B, C, H, W] to
// [B, C, H', W'] with H' = ceil(H / 2). Deterministic; keeps channels-last memory.
torch::Tensor max_pool(const torch::Tensor& x);

}  // namespace vsmax
