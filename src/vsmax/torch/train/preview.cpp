// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/preview.h"

#include <algorithm>
#include <cmath>

#include "vsmax/torch/train/batch_source.h"
#include "vsmax/torch/train/device.h"

namespace vsmax {
namespace {

// [3, H, W] or [H, W] float -> 8 bits, stretched from its darkest to its brightest value.
RgbImage picture(const torch::Tensor& image) {
  const auto low = image.min();
  const auto colour = ((image - low) * (255.0 / (image.max() - low).clamp_min(1e-6))).round();
  const auto channels = colour.dim() == 3 ? colour : colour.unsqueeze(0).expand({3, -1, -1});
  const auto pixels = channels.permute({1, 2, 0}).to(torch::kUInt8).contiguous();
  RgbImage result(static_cast<int>(pixels.size(1)), static_cast<int>(pixels.size(0)));
  std::copy_n(pixels.data_ptr<std::uint8_t>(), result.pixels.size(), result.pixels.begin());
  return result;
}

}  // namespace

Preview preview_batch(const TrainConfig& config, const TrainOptions& options) {
  const torch::Device device = open_device(options.device);
  make_reproducible(options.threads);
  const auto source = open_source(config, options.data, device);
  const Batch batch = source->training(1, 0);
  const auto images = batch.images.to(torch::kCPU);
  const auto truth =
      batch.truth.to(torch::kCPU, torch::kDouble).reshape({images.size(0), -1, 2}).contiguous();
  Preview preview;
  const double* line = truth.data_ptr<double>();
  for (int64_t i = 0; i < images.size(0); ++i) {
    preview.images.push_back(picture(images[i]));
    preview.lines.emplace_back();
    for (int64_t k = 0; k < truth.size(1); ++k, line += 2)
      if (!std::isnan(line[0]))
        preview.lines.back().push_back(pixel_from_unit({line[0], line[1]}, *config.model.frame));
  }
  return preview;
}

}  // namespace vsmax
