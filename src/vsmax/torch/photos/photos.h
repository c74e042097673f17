// SPDX-License-Identifier: Apache-2.0
// A folder of labelled photographs as tensors on a device, and random views of them to train on.
#pragma once

#include <torch/types.h>

#include "vsmax/data/labelled_folder.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/torch/photos/augmentation.h"

namespace vsmax {

// N photographs, reduced to not much more than the size they are trained at.
struct Photos {
  torch::Tensor images;  // [N, 3, H, W] uint8; a smaller photograph lies in the top left corner
  torch::Tensor sizes;   // [N, 2] float: its width and height
  torch::Tensor ends;    // [N, K, 4] float: lines as x0, y0, x1, y1 from its centre; NaN for none

  int64_t count() const { return images.size(0); }
};

// Decodes the folder's images and reduces them to a size that still covers `frame`. Throws Error
// that names the file, or the row of a line that misses its image.
Photos load_photos(const LabelledFolder& folder, const ImageFrame& frame, torch::Device device);

struct Views {
  torch::Tensor images;  // [B, 3, H, W] float, about [0, 1]
  torch::Tensor ends;    // [B, K, 4] float, from the centre of the view; NaN for none
};

// The photographs `index` [B] as seen through the frame: rotated, scaled, shifted and mirrored at
// random. Without augmentation the largest centred part that has the frame's proportions. Draws
// from torch's default generator.
Views view_photos(const Photos& photos, const torch::Tensor& index, const ImageFrame& frame,
                  const Augmentation& augmentation);

}  // namespace vsmax
