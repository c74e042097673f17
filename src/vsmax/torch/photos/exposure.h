// SPDX-License-Identifier: Apache-2.0
// Internal: the values of a view, after its geometry: random exposure, and what the front end
// takes.
#pragma once

#include <torch/types.h>

#include "vsmax/torch/photos/augmentation.h"

namespace vsmax {

// Gamma, tint, blur and noise, at random. images: [B, 3, H, W].
torch::Tensor vary_exposure(const torch::Tensor& images, const Augmentation& augmentation);

// Everything outside the inscribed disc becomes the mean inside it.
torch::Tensor keep_disc(const torch::Tensor& images);

// A line counts as seen in the disc up to this share of its radius from the centre.
inline constexpr double kSeenInDisc = 0.7;

// Mean 0 and deviation 1 over each image, as LearnedEvidence of the core does it.
torch::Tensor normalized(const torch::Tensor& images);

}  // namespace vsmax
