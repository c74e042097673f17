// SPDX-License-Identifier: Apache-2.0
// Synthetic photographs of every kind that models train on, as images with their true lines. This
// header needs no LibTorch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {

enum class SceneKind { kHorizons, kCuts, kCropRows, kBlanks };
inline constexpr std::array<const char*, 4> kSceneKindNames{"horizons", "cuts", "crop-rows",
                                                            "blanks"};

struct DrawnPhoto {
  RgbImage image;
  std::vector<PixelLine> lines;  // those that cross the image
  std::size_t guide = 0;         // which of them meets the bottom edge nearest to its middle
};

// A batch of them; seeds and batches are independent of each other. Horizons are at most 20 degrees
// from level.
std::vector<DrawnPhoto> draw_photos(SceneKind kind, const ImageFrame& frame, int count,
                                    std::uint64_t seed, std::uint32_t batch);

}  // namespace vsmax
