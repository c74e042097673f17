// SPDX-License-Identifier: Apache-2.0
// Internal: lines of a batch as tensors (theta, rho / D), and pixel positions.
#pragma once

#include <torch/types.h>

#include <array>

#include "vsmax/geometry/image_frame.h"

namespace vsmax {

// Columns [1, 1, 1, W] and rows [1, 1, H, 1], measured from the image centre.
std::array<torch::Tensor, 2> pixel_positions(const ImageFrame& frame, torch::Device device);

// (theta, rho) of any representative -> [..., 2] with theta in [0, pi).
torch::Tensor canonical_polar(const torch::Tensor& theta, const torch::Tensor& rho);

// The lines through two points each, [..., 4] as x0, y0, x1, y1 from the image centre in pixels ->
// (theta, rho / D) [..., 2].
torch::Tensor polar_from_ends(const torch::Tensor& ends, const ImageFrame& frame);

// Whether each line crosses the frame (Eq. 8): [..., 2] -> [...].
torch::Tensor meets_frame(const torch::Tensor& polar, const ImageFrame& frame);

// Whether each line passes within this share of the inscribed disc's radius of its centre.
torch::Tensor meets_disc(const torch::Tensor& polar, const ImageFrame& frame, double share);

// Where each line meets the bottom edge of the frame, as a column from the centre: [..., 2] ->
// [...]; infinite for a line parallel to it.
torch::Tensor bottom_crossing(const torch::Tensor& polar, const ImageFrame& frame);

}  // namespace vsmax
