// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/random_fields.h"

#include <ATen/Context.h>
#include <torch/nn/functional/upsampling.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace vsmax {

namespace F = torch::nn::functional;

Canvas canvas_of(const torch::Tensor& images) {
  return {images.size(0),
          {static_cast<int>(images.size(3)), static_cast<int>(images.size(2))},
          images.device()};
}

void seed_drawing(const SampleKey& key) {
  const PhiloxBlock words = draw(key, Stream::kPermutation, 0);
  at::manual_seed(words.word[0] | std::uint64_t{words.word[1]} << 32);
}

torch::Tensor uniform(const Canvas& canvas, double low, double high) {
  return torch::rand({canvas.count, 1, 1, 1}, canvas.options()) * (high - low) + low;
}

torch::Tensor chance(const Canvas& canvas, double probability) {
  return (torch::rand({canvas.count, 1, 1, 1}, canvas.options()) < probability).to(torch::kFloat);
}

torch::Tensor normal_colour(const Canvas& canvas, double deviation) {
  return torch::randn({canvas.count, 3, 1, 1}, canvas.options()) * deviation;
}

torch::Tensor random_colour(const Canvas& canvas) {
  constexpr double kTint = 0.22;
  return uniform(canvas, 0.0, 1.0) + normal_colour(canvas, kTint);
}

torch::Tensor white_noise(const Canvas& canvas, int64_t channels) {
  return torch::randn({canvas.count, channels, canvas.frame.height, canvas.frame.width},
                      canvas.options());
}

torch::Tensor fractal_noise(const Canvas& canvas, const FractalNoise& noise) {
  const ImageFrame& frame = canvas.frame;
  const double proportion = static_cast<double>(frame.height) / frame.width;
  torch::Tensor sum;
  double amplitude = 1.0;
  double variance = 0.0;
  int cells = noise.base;
  for (int octave = 0; octave < noise.octaves; ++octave, cells *= 2) {
    if (octave > 0 && cells > 1.2 * std::max(frame.width, frame.height)) break;
    const auto rows =
        std::max<int64_t>(2, static_cast<int64_t>(cells * noise.stretch * proportion));
    const auto knots = torch::randn({canvas.count, 1, rows, std::max(2, cells)}, canvas.options());
    const auto layer =
        F::interpolate(knots, F::InterpolateFuncOptions()
                                  .size(std::vector<int64_t>{frame.height, frame.width})
                                  .mode(torch::kBicubic)
                                  .align_corners(true));
    sum = sum.defined() ? sum + layer * amplitude : layer * amplitude;
    variance += amplitude * amplitude;
    amplitude *= noise.persistence;
  }
  return sum / std::sqrt(variance);
}

torch::Tensor random_profile(const torch::Tensor& place, int knots) {
  constexpr double kReach = 1.6;
  const auto values = torch::randn({place.size(0), 1, 1, knots}, place.options());
  const auto along = place.squeeze(1) / kReach;
  const auto grid = torch::stack({along, torch::zeros_like(along)}, -1);
  constexpr int64_t kBicubic = 2;
  constexpr int64_t kBorder = 1;
  return torch::grid_sampler(values, grid, kBicubic, kBorder, /*align_corners=*/true);
}

torch::Tensor folded(const torch::Tensor& coordinate) {
  return (torch::remainder(coordinate + 1.0, 4.0) - 2.0).abs() - 1.0;
}

torch::Tensor blend(const torch::Tensor& under, const torch::Tensor& over,
                    const torch::Tensor& mask) {
  return under + (over - under) * mask;
}

torch::Tensor with_gamma(const torch::Tensor& images, const torch::Tensor& log_exponent) {
  const auto low = images.amin({1, 2, 3}, true);
  const auto range = images.amax({1, 2, 3}, true) - low;
  return torch::pow(((images - low) / (range + 1e-4)).clamp(1e-4, 1.0), torch::exp(log_exponent));
}

torch::Tensor blurred(const torch::Tensor& images, int64_t side, const torch::Tensor& share) {
  const int64_t margin = side / 2;
  const auto padded = torch::replication_pad2d(images, {margin, margin, margin, margin});
  return blend(images, torch::avg_pool2d(padded, {side, side}, {1, 1}), share);
}

}  // namespace vsmax
