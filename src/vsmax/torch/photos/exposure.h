// SPDX-License-Identifier: Apache-2.0
// Internal: the pixel values of a view, once its geometry is fixed: random exposure, and
// normalisation for the front end.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/augmentation.h"

namespace vsmax {

// Gamma, tint, blur and noise, at random. images: [B, 3, H, W].
torch::Tensor vary_exposure(const torch::Tensor& images, const Augmentation& augmentation);

// Everything outside the inscribed disc becomes the mean inside it.
torch::Tensor keep_disc(const torch::Tensor& images);

// A line counts as visible in the disc up to this distance from its centre, relative to its radius.
inline constexpr double kSeenInDisc = 0.7;

// Brings each image to mean 0 and deviation 1, as the core's LearnedEvidence does.
torch::Tensor normalized(const torch::Tensor& images);

}  // namespace vsmax
