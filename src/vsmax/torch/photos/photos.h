// SPDX-License-Identifier: Apache-2.0
// A folder of labelled photographs as tensors on a device, and random views of them to train on.
#pragma once

#include <torch/types.h>

#include "vsmax/data/labelled_folder.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/torch/photos/augmentation.h"

namespace vsmax {

// N photographs, reduced to slightly more than the size they are trained at.
struct Photos {
  torch::Tensor images;  // [N, 3, H, W] uint8; a smaller photograph lies in the top left corner
  torch::Tensor sizes;   // [N, 2] float: its width and height
  torch::Tensor ends;    // [N, K, 4] float: lines as x0, y0, x1, y1 from the photograph's centre;
                         // NaN for none

  int64_t count() const { return images.size(0); }
};

// Decodes the folder's images and reduces them to a size that still covers `frame`. Throws Error
// that names the file, or the row of a line that misses its image.
Photos load_photos(const LabelledFolder& folder, const ImageFrame& frame, torch::Device device);

struct Views {
  torch::Tensor images;  // [B, 3, H, W] float, about [0, 1]
  torch::Tensor ends;    // [B, K, 4] float, from the centre of the view; NaN for none
};

// How a view is taken, [B, 1, 1] each.
struct ViewGeometry {
  torch::Tensor angle;    // of its rotation, in radians
  torch::Tensor zoom;     // 1: the largest centred part that has the frame's proportions
  torch::Tensor mirror;   // -1 if left and right are swapped, 1 otherwise
  torch::Tensor shift_x;  // of its centre, relative to the photograph's width
  torch::Tensor shift_y;  // and to its height
  torch::Tensor shear;    // columns that each row is displaced against the one above it
  torch::Tensor stretch;  // the zoom across is multiplied by this, the zoom down divided
};

// Rotated, scaled, shifted, sheared, stretched and mirrored at random. Draws from torch's default
// generator.
//
// Where the horizon is near the top edge and the ground is flat, a shear that leaves this edge in
// place is what a camera sees after a step to the side.
ViewGeometry random_views(int64_t count, const Augmentation& augmentation, torch::Device device);

// Rotated by these angles [B], and nothing else.
ViewGeometry rotated_views(const torch::Tensor& angles);

// The photographs `index` [B] as seen through the frame.
Views view_photos(const Photos& photos, const torch::Tensor& index, const ImageFrame& frame,
                  const ViewGeometry& geometry);

}  // namespace vsmax
