// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/cuts.h"

#include <array>
#include <limits>
#include <numbers>
#include <vector>

#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

// `one` with this probability, otherwise `other`, drawn for each picture.
torch::Tensor either(const Canvas& canvas, double probability, const torch::Tensor& one,
                     const torch::Tensor& other) {
  return blend(other, one, chance(canvas, probability));
}

// The filling of a part of the picture: a colour with a gradient and texture.
torch::Tensor stuff(const Canvas& canvas, const torch::Tensor& x, const torch::Tensor& y) {
  const auto coarse = fractal_noise(canvas, {3, 5, 0.7, 1.5});
  const auto fine = fractal_noise(canvas, {20, 3, 0.9, 1.0});
  return random_colour(canvas) + uniform(canvas, -0.4, 0.4) * x + uniform(canvas, -0.4, 0.4) * y +
         uniform(canvas, 0.0, 0.2) * chance(canvas, 0.7) * coarse *
             (normal_colour(canvas, 0.2) + 1.0) +
         uniform(canvas, 0.0, 0.2) * chance(canvas, 0.5) * fine;
}

torch::Tensor random_sign(const Canvas& canvas) { return chance(canvas, 0.5) * 2.0 - 1.0; }

}  // namespace

Cuts draw_cuts(const Canvas& canvas) {
  const ImageFrame& frame = canvas.frame;
  const double unit = 0.5 * frame.height;  // pixels
  const auto [columns, rows] = pixel_positions(frame, canvas.device);
  const auto x = columns / unit;
  const auto y = rows / unit;
  auto image = stuff(canvas, x, y);
  std::vector<torch::Tensor> truths;
  constexpr std::array kShares{1.0, 0.45, 0.3, 0.1};
  for (const double share : kShares) {
    const bool first = truths.empty();
    const auto drawn = chance(canvas, share);
    // Most semantic lines are nearly level.
    const auto level = torch::randn({canvas.count, 1, 1, 1}, canvas.options()) * 0.2;
    const auto any = uniform(canvas, -0.5 * std::numbers::pi, 0.5 * std::numbers::pi);
    const auto angle = either(canvas, 0.65, level, any);
    const auto x0 = uniform(canvas, -0.6, 0.6) * (static_cast<double>(frame.width) / frame.height);
    const auto y0 = uniform(canvas, -0.75, 0.75);
    const auto cosine = torch::cos(angle);
    const auto sine = torch::sin(angle);
    const auto along = (x - x0) * cosine + (y - y0) * sine;
    auto below = (y - y0) * cosine - (x - x0) * sine;
    if (!first) below = below * random_sign(canvas);
    const auto ragged = chance(canvas, 0.6) * uniform(canvas, 0.0, 0.05) *
                        (random_profile(along, 8) + random_profile(along, 30) * 0.7);
    auto mask = torch::sigmoid((below + ragged) * unit / uniform(canvas, 0.3, 2.0));
    if (!first) {
      const auto band = torch::exp(-(below * unit / uniform(canvas, 1.0, 4.0)).square());
      mask = blend(mask, band, chance(canvas, 0.2));
      const auto part =
          torch::sigmoid((along - uniform(canvas, -1.0, 0.2)) * unit * random_sign(canvas));
      mask = mask * either(canvas, 0.25, part, torch::ones_like(part));
    }
    image = blend(image, stuff(canvas, x, y), mask * drawn);
    const auto rho = (y0 * cosine - x0 * sine) * (unit / frame.half_diagonal());
    const auto line = canonical_polar((angle + 0.5 * std::numbers::pi).flatten(), rho.flatten());
    truths.push_back(
        line.masked_fill(drawn.view({-1, 1}) == 0.0, std::numeric_limits<float>::quiet_NaN()));
  }
  constexpr int kBoxes = 5;
  constexpr double kSoftness = 0.7;
  for (int i = 0; i < kBoxes; ++i) {
    const auto tilt = uniform(canvas, -0.4, 0.4);
    const auto dx = x - uniform(canvas, -1.2, 1.2);
    const auto dy = y - uniform(canvas, -1.0, 1.0);
    const auto inside = [&](const torch::Tensor& distance) {
      return torch::sigmoid((uniform(canvas, 0.01, 0.3) - distance.abs()) * (unit / kSoftness));
    };
    const auto mask = inside(dx - tilt * dy) * inside(dy + tilt * dx) * chance(canvas, 0.4);
    image = blend(image, stuff(canvas, x, y), mask);
  }
  return {image, torch::stack(truths, 1)};
}

}  // namespace vsmax
