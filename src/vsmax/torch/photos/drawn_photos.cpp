// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/drawn_photos.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "vsmax/data/sample_key.h"
#include "vsmax/torch/photos/labelled_scenes.h"
#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {

std::vector<DrawnPhoto> draw_photos(SceneKind kind, const ImageFrame& frame, int count,
                                    std::uint64_t seed, std::uint32_t batch) {
  const torch::NoGradGuard no_grad;
  seed_drawing({seed, Split::kTest, 0, batch});
  constexpr double kTilt = std::numbers::pi / 9.0;
  const auto [images, lines] = draw_labelled(kind, {count, frame, torch::kCPU}, kTilt);
  const auto bytes =
      (images.clamp(0.0, 1.0) * 255.0).round().permute({0, 2, 3, 1}).to(torch::kUInt8).contiguous();
  const auto inside = meets_frame(lines, frame);
  const auto distance = bottom_crossing(lines, frame).abs();
  std::vector<DrawnPhoto> photos;
  for (int64_t i = 0; i < count; ++i) {
    DrawnPhoto photo{RgbImage(frame.width, frame.height), {}, 0};
    double nearest = std::numeric_limits<double>::infinity();
    std::copy_n(bytes[i].data_ptr<std::uint8_t>(), photo.image.pixels.size(),
                photo.image.pixels.begin());
    for (int64_t k = 0; k < lines.size(1); ++k) {
      if (!inside[i][k].item<bool>()) continue;
      if (const auto off = distance[i][k].item<double>(); off < nearest) {
        nearest = off;
        photo.guide = photo.lines.size();
      }
      photo.lines.push_back(
          pixel_from_unit({lines[i][k][0].item<double>(), lines[i][k][1].item<double>()}, frame));
    }
    photos.push_back(std::move(photo));
  }
  return photos;
}

}  // namespace vsmax
