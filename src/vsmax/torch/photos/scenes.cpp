// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/scenes.h"

#include <torch/nn/functional/vision.h>

#include <cmath>
#include <numbers>

#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

namespace F = torch::nn::functional;

// The scene's own coordinates, [B, 1, H, W] in units of half the picture's height: `along` runs
// along the horizon, `below` is positive below it.
struct ScenePlace {
  torch::Tensor along;
  torch::Tensor below;
  double pixels = 1.0;  // per unit
};

// 1 inside, 0 outside, with a soft edge about `softness` pixels wide; `distance` is positive
// inside.
torch::Tensor soft_mask(const torch::Tensor& distance, const ScenePlace& place, double softness) {
  return torch::sigmoid(distance * (place.pixels / softness));
}

torch::Tensor draw_sky(const Canvas& canvas, const ScenePlace& place) {
  auto sky = random_colour(canvas) + uniform(canvas, -0.6, 0.6) * place.below +
             uniform(canvas, -0.3, 0.3) * place.along;
  const auto noise = fractal_noise(canvas, {2, 5, 0.55, 1.7});
  const auto clouds = noise + chance(canvas, 0.3) * torch::relu(noise) * 2.0;
  return sky + chance(canvas, 0.7) * uniform(canvas, 0.0, 0.25) * clouds *
                   (normal_colour(canvas, 0.1) + 1.0);
}

// Far hills, then nearer and rougher ones; all stand on the horizon.
torch::Tensor add_hills(const Canvas& canvas, const ScenePlace& place, const torch::Tensor& sky) {
  torch::Tensor image = sky;
  const auto above = (place.below < 0.0).to(torch::kFloat);
  for (const bool near : {false, false, true}) {
    const auto ridge = random_profile(place.along, 6) * 0.6 +
                       random_profile(place.along, 14) * 0.3 +
                       random_profile(place.along, 60) * (near ? 0.2 : 0.06);
    const auto height =
        torch::relu(ridge + uniform(canvas, -0.4, 1.2)) * uniform(canvas, 0.02, 0.35);
    const auto mask =
        soft_mask(height + place.below, place, 1.0) * above * chance(canvas, near ? 0.3 : 0.4);
    const auto texture = fractal_noise(canvas, {6, 5, 0.8, 1.0});
    const auto ground = random_colour(canvas) * uniform(canvas, 0.2, 1.0) +
                        uniform(canvas, 0.0, 0.2) * texture * (normal_colour(canvas, 0.2) + 1.0);
    image = blend(image, blend(ground, sky, uniform(canvas, 0.0, 0.8)), mask);
  }
  return image;
}

torch::Tensor draw_water(const Canvas& canvas, const ScenePlace& place) {
  auto water = random_colour(canvas) + uniform(canvas, -0.5, 0.5) * place.below;
  // Waves shrink towards the horizon, by perspective.
  constexpr int64_t kSide = 192;
  const auto depth = place.below.clamp_min(0.0) + uniform(canvas, 0.02, 0.3);
  const auto texture = torch::randn({canvas.count, 1, kSide, kSide}, canvas.options());
  const auto across = (place.along / depth * uniform(canvas, 0.05, 0.4)).squeeze(1);
  const auto down =
      (torch::log(depth) * uniform(canvas, 0.4, 1.6) + uniform(canvas, -0.5, 0.5)).squeeze(1);
  const auto grid = torch::stack({folded(across), folded(down)}, -1);
  const auto sampling = F::GridSampleFuncOptions().mode(torch::kBilinear).align_corners(true);
  const auto ripples = F::grid_sample(texture, grid, sampling);
  const auto smooth = torch::avg_pool2d(texture, {3, 3}, {1, 1}, {1, 1}) * 3.0;
  const auto swell = F::grid_sample(smooth, folded(grid * 0.37), sampling);
  const auto amplitude = uniform(canvas, 0.0, 0.22) * chance(canvas, 0.85) *
                         torch::pow(depth.clamp_max(1.5), uniform(canvas, 0.0, 1.0));
  water = water + amplitude * (ripples + swell * uniform(canvas, 0.0, 1.0));

  constexpr int kBreakers = 4;  // bands almost parallel to the horizon
  for (int i = 0; i < kBreakers; ++i) {
    const auto middle = torch::pow(uniform(canvas, 0.03, 1.0), 1.5) +
                        random_profile(place.along, 8) * 0.03 +
                        uniform(canvas, -0.08, 0.08) * place.along;
    const auto width = middle.clamp_min(0.0) * uniform(canvas, 0.2, 1.0) * 0.05 + 0.006;
    const auto band = torch::exp(-((place.below - middle) / width).square());
    const auto broken = torch::sigmoid(random_profile(place.along, 5) * 2.0 + 1.0);
    water = water + chance(canvas, 0.3) * uniform(canvas, -0.3, 0.5) * band * broken;
  }
  const auto reflection = random_profile(place.along, 6) * 0.15 + uniform(canvas, 0.05, 0.3);
  water = water + chance(canvas, 0.35) * uniform(canvas, 0.1, 0.7) * uniform(canvas, -0.6, 0.3) *
                      soft_mask(reflection - place.below, place, 3.0);
  const auto path = torch::exp(
      -((place.along - uniform(canvas, -1.0, 1.0)) / uniform(canvas, 0.1, 0.4)).square());
  return water + chance(canvas, 0.15) * uniform(canvas, 0.2, 0.8) * path *
                     (ripples > 0.8).to(torch::kFloat);
}

// Boats, posts, buoys: soft rectangles that stand upright in the scene, and discs.
torch::Tensor add_things(const Canvas& canvas, const ScenePlace& place, torch::Tensor image) {
  constexpr int kBoxes = 6;
  constexpr int kDiscs = 2;
  constexpr double kSoftness = 0.7;
  for (int i = 0; i < kBoxes; ++i) {
    const auto x = uniform(canvas, -1.3, 1.3);
    const auto y = uniform(canvas, -0.25, 1.4) * chance(canvas, 0.6);
    const auto tall = chance(canvas, 0.3);
    const auto width = blend(uniform(canvas, 0.01, 0.5) * uniform(canvas, 0.2, 1.0),
                             torch::full_like(tall, 0.012), tall);
    const auto height = blend(uniform(canvas, 0.01, 0.3), uniform(canvas, 0.05, 0.6), tall);
    const auto tilt = uniform(canvas, -0.15, 0.15);
    const auto across = place.along - x - tilt * (place.below - y);
    const auto down = place.below - y + tilt * (place.along - x);
    const auto mask = soft_mask(width - across.abs(), place, kSoftness) *
                      soft_mask(height - down.abs(), place, kSoftness) * chance(canvas, 0.45);
    const auto paint = random_colour(canvas) * 1.2 - 0.1 +
                       uniform(canvas, 0.0, 0.3) * fractal_noise(canvas, {8, 3, 0.55, 1.0});
    image = blend(image, paint, mask);
  }
  for (int i = 0; i < kDiscs; ++i) {
    const auto distance = torch::hypot(place.along - uniform(canvas, -1.3, 1.3),
                                       place.below - uniform(canvas, -0.1, 1.2));
    const auto mask =
        soft_mask(uniform(canvas, 0.02, 0.2) - distance, place, kSoftness) * chance(canvas, 0.2);
    image = blend(image, random_colour(canvas), mask);
  }
  return image;
}

}  // namespace

Scenes draw_scenes(const Canvas& canvas, double tilt) {
  const ImageFrame& frame = canvas.frame;
  const auto angle = uniform(canvas, -tilt, tilt);
  // Most horizons pass near the middle, some close to the border.
  const auto central = chance(canvas, 0.6);
  const auto x0 = uniform(canvas, -0.5, 0.5) * frame.width *
                  blend(torch::ones_like(central), torch::full_like(central, 0.5), central);
  const auto y0 = uniform(canvas, -0.48, 0.48) * frame.height *
                  blend(torch::ones_like(central), torch::full_like(central, 0.6), central);
  const auto [x, y] = pixel_positions(frame, canvas.device);
  const double unit = 0.5 * frame.height;
  const auto cosine = torch::cos(angle);
  const auto sine = torch::sin(angle);
  const auto dx = (x - x0) / unit;
  const auto dy = (y - y0) / unit;
  const ScenePlace place{dx * cosine + dy * sine, dy * cosine - dx * sine, unit};

  const auto sky = draw_sky(canvas, place);
  auto image = add_hills(canvas, place, sky);
  image = blend(image, draw_water(canvas, place),
                torch::sigmoid(place.below * unit / uniform(canvas, 0.25, 1.5)));
  // A beach, or foam along the water's edge.
  image = image + chance(canvas, 0.25) * uniform(canvas, -0.4, 0.4) *
                      torch::exp(-(place.below * unit / uniform(canvas, 0.7, 3.0)).square());
  image = add_things(canvas, place, image);

  const auto theta = (angle + std::numbers::pi / 2.0).flatten();
  const auto rho = (y0 * cosine - x0 * sine).flatten() / frame.half_diagonal();
  return {image, canonical_polar(theta, rho)};
}

torch::Tensor photographed(const torch::Tensor& images) {
  const Canvas canvas = canvas_of(images);
  auto result = with_gamma(images.clamp(-0.2, 1.4), uniform(canvas, -0.7, 0.7));
  result = blurred(result, 3, uniform(canvas, 0.0, 1.0) * chance(canvas, 0.6));
  result = blurred(result, 5, uniform(canvas, 0.0, 1.0) * chance(canvas, 0.2));
  const auto x = torch::linspace(-1.0, 1.0, images.size(3), images.options()).view({1, 1, 1, -1});
  const auto y = torch::linspace(-1.0, 1.0, images.size(2), images.options()).view({1, 1, -1, 1});
  const auto vignette = chance(canvas, 0.3) * uniform(canvas, -0.3, 0.4) * (x * x + y * y);
  result = result * (1.0 - vignette);
  result = blend(result, result.mean({1}, true), chance(canvas, 0.4));
  return result + uniform(canvas, 0.0, 0.08) * chance(canvas, 0.7) * white_noise(canvas, 3);
}

}  // namespace vsmax
