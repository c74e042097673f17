// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/drawn_photos.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "vsmax/data/sample_key.h"
#include "vsmax/torch/photos/blanks.h"
#include "vsmax/torch/photos/crop_rows.h"
#include "vsmax/torch/photos/cuts.h"
#include "vsmax/torch/photos/polar_lines.h"
#include "vsmax/torch/photos/scenes.h"

namespace vsmax {
namespace {

// Images [B, 3, H, W] and lines [B, K, 2].
std::pair<torch::Tensor, torch::Tensor> draw(SceneKind kind, const Canvas& canvas) {
  constexpr double kTilt = std::numbers::pi / 9.0;
  switch (kind) {
    case SceneKind::kHorizons: {
      const Scenes scenes = draw_scenes(canvas, kTilt);
      return {photographed(scenes.images), scenes.truth.unsqueeze(1)};
    }
    case SceneKind::kCuts: {
      const Cuts cuts = draw_cuts(canvas);
      return {photographed(cuts.images), cuts.truth};
    }
    case SceneKind::kCropRows: {
      const CropRows fields = draw_crop_rows(canvas);
      return {fields.images, fields.rows};
    }
    case SceneKind::kBlanks:
      break;
  }
  return {photographed(draw_blanks(canvas)), torch::empty({canvas.count, 0, 2})};
}

}  // namespace

std::vector<DrawnPhoto> draw_photos(SceneKind kind, const ImageFrame& frame, int count,
                                    std::uint64_t seed, std::uint32_t batch) {
  const torch::NoGradGuard no_grad;
  seed_drawing({seed, Split::kTest, 0, batch});
  const auto [images, lines] = draw(kind, {count, frame, torch::kCPU});
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
