// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/exposure.h"

#include <algorithm>

#include "vsmax/torch/photos/polar_lines.h"
#include "vsmax/torch/photos/random_fields.h"

namespace vsmax {

torch::Tensor vary_exposure(const torch::Tensor& images, const Augmentation& augmentation) {
  const Canvas canvas = canvas_of(images);
  auto result = images;
  if (augmentation.gamma > 0.0)
    result = with_gamma(images, uniform(canvas, -augmentation.gamma, augmentation.gamma));
  if (augmentation.tint > 0.0)
    result = result * (normal_colour(canvas, augmentation.tint) * chance(canvas, 0.5) + 1.0);
  if (augmentation.blur > 0.0)
    result = blurred(result, 3, uniform(canvas, 0.0, 1.0) * chance(canvas, augmentation.blur));
  if (augmentation.noise > 0.0)
    result = result + uniform(canvas, 0.0, augmentation.noise) * white_noise(canvas, 3);
  return result;
}

torch::Tensor keep_disc(const torch::Tensor& images) {
  const ImageFrame frame{static_cast<int>(images.size(3)), static_cast<int>(images.size(2))};
  const auto [x, y] = pixel_positions(frame, images.device());
  const double radius = 0.5 * std::min(frame.width, frame.height);
  const auto inside = (x * x + y * y <= radius * radius).to(images.scalar_type());
  const auto mean =
      (images * inside).sum({1, 2, 3}, true) / (inside.sum() * static_cast<double>(images.size(1)));
  return blend(mean, images, inside);
}

torch::Tensor normalized(const torch::Tensor& images) {
  constexpr double kLeastDeviation = 1e-3;
  const auto flat = images.flatten(1);
  const auto mean = flat.mean({1}).view({-1, 1, 1, 1});
  const auto deviation = flat.std(1, /*unbiased=*/true).view({-1, 1, 1, 1});
  return (images - mean) / (deviation + kLeastDeviation);
}

}  // namespace vsmax
