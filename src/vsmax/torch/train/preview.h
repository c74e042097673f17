// SPDX-License-Identifier: Apache-2.0
// What a run will see: the images of its first batch with their true lines, to be checked before
// training. This header needs no LibTorch.
#pragma once

#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/image/gray_image.h"
#include "vsmax/torch/train/training.h"

namespace vsmax {

struct Preview {
  std::vector<RgbImage> images;
  std::vector<std::vector<PixelLine>> lines;  // of each image
};

// The first batch of the first epoch. Throws Error as train() does.
Preview preview_batch(const TrainConfig& config, const TrainOptions& options);

}  // namespace vsmax
