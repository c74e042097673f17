// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/blanks.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

constexpr double kPi = std::numbers::pi;

// Positions in units of half the picture's height, [B, 1, H, W].
struct Spot {
  torch::Tensor x;
  torch::Tensor y;
};

Spot place_of(const Canvas& canvas) {
  const auto [columns, rows] = pixel_positions(canvas.frame, canvas.device);
  const double unit = 0.5 * canvas.frame.height;
  const std::vector<int64_t> shape{canvas.count, 1, canvas.frame.height, canvas.frame.width};
  return {(columns / unit).expand(shape), (rows / unit).expand(shape)};
}

Spot turned(const Spot& place, const torch::Tensor& angle) {
  const auto cosine = torch::cos(angle);
  const auto sine = torch::sin(angle);
  return {place.x * cosine + place.y * sine, place.y * cosine - place.x * sine};
}

// All directions are equally likely.
Spot turned_at_random(const Canvas& canvas, const Spot& place) {
  return turned(place, uniform(canvas, 0.0, kPi));
}

// Uniform in the logarithm: as likely between 1 and 2 as between 2 and 4.
torch::Tensor log_uniform(const Canvas& canvas, double low, double high) {
  return torch::exp(uniform(canvas, std::log(low), std::log(high)));
}

// Smooth noise of about unit variance, one independent value per unit of place.
torch::Tensor noise_at(const Canvas& canvas, const Spot& place) {
  constexpr int64_t kSide = 128;
  constexpr int64_t kBicubic = 2;
  constexpr int64_t kReflection = 2;
  const auto knots = torch::randn({canvas.count, 1, kSide, kSide}, canvas.options());
  const auto grid = torch::stack({place.x.squeeze(1), place.y.squeeze(1)}, -1) * (2.0 / kSide);
  return torch::grid_sampler(knots, grid, kBicubic, kReflection, /*align_corners=*/false) * 1.4;
}

// Bends straight structures: moves each place by up to about `reach`, varying over `distance`.
Spot warped(const Canvas& canvas, const Spot& place, const torch::Tensor& reach,
            const torch::Tensor& distance) {
  const Spot coarse{place.x / distance, place.y / distance};
  return {place.x + reach * noise_at(canvas, coarse), place.y + reach * noise_at(canvas, coarse)};
}

// Fractal noise whose grains have this length and width in the coarsest octave.
torch::Tensor stretched_noise(const Canvas& canvas, const Spot& place, const torch::Tensor& length,
                              const torch::Tensor& width, int octaves,
                              const torch::Tensor& persistence) {
  auto sum = noise_at(canvas, {place.x / length, place.y / width});
  auto amplitude = torch::ones_like(persistence);
  auto variance = torch::ones_like(persistence);
  for (int octave = 1; octave < octaves; ++octave) {
    const double finer = std::pow(2.0, octave);
    amplitude = amplitude * persistence;
    variance = variance + amplitude.square();
    sum = sum + amplitude * noise_at(canvas, {place.x / length * finer, place.y / width * finer});
  }
  return sum / variance.sqrt();
}

// Grains 3 to 20 times as long as wide, but much shorter than the picture.
torch::Tensor bark(const Canvas& canvas, const Spot& place) {
  const auto length = log_uniform(canvas, 0.2, 0.8);
  const auto width = length / log_uniform(canvas, 3.0, 20.0);
  const Spot bent = warped(canvas, turned_at_random(canvas, place),
                           length * uniform(canvas, 0.02, 0.25), length * uniform(canvas, 0.8, 2));
  return stretched_noise(canvas, bent, length, width, 3, uniform(canvas, 0.4, 0.9));
}

// Short strokes with sharp edges, in more or less one direction.
torch::Tensor grass(const Canvas& canvas, const Spot& place) {
  const auto length = log_uniform(canvas, 0.1, 0.4);
  const auto width = length / log_uniform(canvas, 1.0, 8.0);
  const Spot bent = warped(canvas, turned_at_random(canvas, place),
                           length * uniform(canvas, 0.1, 0.5), length * uniform(canvas, 0.8, 2));
  const auto strokes = stretched_noise(canvas, bent, length, width, 2, uniform(canvas, 0.3, 1.0));
  return torch::tanh((strokes - uniform(canvas, -0.7, 0.7)) * log_uniform(canvas, 2.0, 20.0));
}

// Wavy threads in two directions.
torch::Tensor weave(const Canvas& canvas, const Spot& place) {
  const auto first = uniform(canvas, 0.0, kPi);
  const auto second = first + kPi / 2.0 + uniform(canvas, -0.5, 0.5);
  const auto spacing = log_uniform(canvas, 0.04, 0.3);
  const auto thread = [&](const torch::Tensor& angle, const torch::Tensor& apart) {
    const Spot bent = warped(canvas, turned(place, angle), apart * uniform(canvas, 0.15, 0.5),
                             apart * uniform(canvas, 1.5, 6.0));
    const auto uneven = 1.0 + 0.4 * noise_at(canvas, {bent.x / (apart * 2.0), bent.y / apart});
    return torch::sin(bent.x / apart * (2.0 * kPi)) * uneven;
  };
  const auto warp = thread(first, spacing);
  const auto weft = thread(second, spacing * uniform(canvas, 0.7, 1.4));
  const auto sum = warp + uniform(canvas, 0.7, 1.4) * weft;
  return blend(sum, warp * weft * 1.5, chance(canvas, 0.5)) * 0.8;
}

// Calls visit(dx, dy, stone) for each of the nine stones around a place, the candidates for the
// nearest: its offset from the place, and its own `count` random numbers, [B, 1, H, W] each. The
// stones are the points of a lattice of spacing 1, each shifted at random by up to the spacing.
template <class Visit>
void visit_stones(const Canvas& canvas, const Spot& place, int64_t count, const Visit& visit) {
  constexpr int64_t kSide = 128;
  const auto stones = torch::rand({canvas.count, 2 + count, kSide * kSide}, canvas.options());
  const auto column = torch::floor(place.x);
  const auto row = torch::floor(place.y);
  for (int down = -1; down <= 1; ++down)
    for (int across = -1; across <= 1; ++across) {
      const auto index =
          torch::remainder(row + down, kSide) * kSide + torch::remainder(column + across, kSide);
      const auto numbers =
          stones
              .gather(2, index.to(torch::kLong).flatten(1).unsqueeze(1).expand({-1, 2 + count, -1}))
              .view({canvas.count, 2 + count, canvas.frame.height, canvas.frame.width});
      visit(column + across + numbers.narrow(1, 0, 1) - place.x,
            row + down + numbers.narrow(1, 1, 1) - place.y,
            numbers.narrow(1, 2, count).split(1, 1));
    }
}

// Stones of any brightness (Voronoi cells), with darker or brighter gaps.
torch::Tensor gravel(const Canvas& canvas, const Spot& place) {
  const auto size = log_uniform(canvas, 0.05, 0.3);
  const Spot upright = turned_at_random(canvas, place);
  const Spot bent =
      warped(canvas, {upright.x / size, upright.y / size * log_uniform(canvas, 1.0, 3.0)},
             uniform(canvas, 0.05, 0.3), uniform(canvas, 0.3, 2.0));
  auto nearest = torch::full_like(bent.x, std::numeric_limits<float>::infinity());
  auto second = nearest;
  auto brightness = torch::zeros_like(bent.x);
  visit_stones(canvas, bent, 1, [&](const auto& dx, const auto& dy, const auto& stone) {
    const auto distance = torch::hypot(dx, dy);
    brightness = torch::where(distance < nearest, stone[0], brightness);
    second = torch::minimum(second, torch::maximum(nearest, distance));
    nearest = torch::minimum(nearest, distance);
  });
  const auto gap = torch::exp(-((second - nearest) / uniform(canvas, 0.05, 0.25)).square());
  return (brightness - 0.5) * uniform(canvas, 1.0, 3.0) +
         gap * uniform(canvas, -2.0, 1.0) * chance(canvas, 0.7) -
         nearest.square() * uniform(canvas, 0.0, 1.0);
}

// Ellipses with sharp edges, each in front of those drawn before it.
torch::Tensor leaves(const Canvas& canvas, const Spot& place) {
  const auto size = log_uniform(canvas, 0.08, 0.5);
  const auto slim = uniform(canvas, 1.0, 3.0);
  auto image = torch::zeros_like(place.x);
  visit_stones(canvas, {place.x / size, place.y / size}, 3,
               [&](const auto& dx, const auto& dy, const auto& leaf) {
                 const Spot inside = turned({dx, dy}, leaf[0] * kPi);
                 const auto distance = torch::hypot(inside.x, inside.y * slim);
                 image = torch::where(distance < leaf[1] * 0.7 + 0.3, leaf[2] * 3.0 - 1.5, image);
               });
  return image;
}

// One or two trains of circular waves around points in or near the picture, with crests of varying
// height.
torch::Tensor ripples(const Canvas& canvas, const Spot& place) {
  torch::Tensor sum;
  const auto first_length = log_uniform(canvas, 0.06, 0.4);
  for (const double share : {1.0, 0.5}) {
    const auto length =
        first_length * (share < 1.0 ? uniform(canvas, 0.6, 1.6) : torch::ones_like(first_length));
    const Spot bent =
        warped(canvas, place, length * uniform(canvas, 0.1, 0.4), length * uniform(canvas, 1, 4));
    const auto distance =
        torch::hypot(bent.x - uniform(canvas, -1.3, 1.3),
                     (bent.y - uniform(canvas, -1.3, 1.3)) * log_uniform(canvas, 0.6, 1.7));
    const auto height = noise_at(canvas, {place.x * 1.5, place.y * 1.5}) + 0.7;
    const auto train = torch::sin(distance / length * (2.0 * kPi)) * height;
    sum = sum.defined() ? sum + train * chance(canvas, share) : train;
  }
  return sum;
}

// Clouds drawn out in one direction and bent, up to twice as long as the picture is high; in half
// of the pictures the sky between them is uniform.
torch::Tensor streaks(const Canvas& canvas, const Spot& place) {
  const auto length = log_uniform(canvas, 0.4, 4.0);
  const auto width = length / log_uniform(canvas, 2.0, 8.0);
  const Spot bent = warped(canvas, turned_at_random(canvas, place),
                           width * uniform(canvas, 0.1, 0.6), length * uniform(canvas, 0.4, 1));
  const auto clouds = stretched_noise(canvas, bent, length, width, 6, uniform(canvas, 0.35, 0.75));
  const auto sky = uniform(canvas, -1.0, 0.5) - 9.0 * chance(canvas, 0.5);
  return torch::maximum(clouds, sky);
}

// Soft or sharp spots, some oblong.
torch::Tensor blobs(const Canvas& canvas, const Spot& place) {
  constexpr int kBlobs = 8;
  auto image = normal_colour(canvas, 0.05);
  for (int i = 0; i < kBlobs; ++i) {
    const Spot spot = turned_at_random(
        canvas, {place.x - uniform(canvas, -1.3, 1.3), place.y - uniform(canvas, -1.0, 1.0)});
    const auto distance = torch::hypot(spot.x, spot.y * log_uniform(canvas, 1.0, 2.0));
    const auto inside = (uniform(canvas, 0.05, 0.5) - distance) * log_uniform(canvas, 4.0, 60.0);
    image = image + uniform(canvas, -0.6, 0.6) * torch::sigmoid(inside);
  }
  return image;
}

// As photographed: of any contrast and tint, in uneven light.
torch::Tensor lit(const Canvas& canvas, const torch::Tensor& texture) {
  return texture * log_uniform(canvas, 0.05, 0.35) * (normal_colour(canvas, 0.15) + 1.0) +
         normal_colour(canvas, 0.05) +
         chance(canvas, 0.5) * uniform(canvas, 0.0, 0.2) * fractal_noise(canvas, {2, 2, 0.5, 1.0});
}

}  // namespace

torch::Tensor draw_blanks(const Canvas& canvas) {
  const Spot place = place_of(canvas);
  const auto& [x, y] = place;
  const auto noise = white_noise(canvas, 3) * 0.3;
  const auto clouds =
      fractal_noise(canvas, {2, 6, 0.6, 1.0}) * 0.3 * (normal_colour(canvas, 0.1) + 1.0);
  const auto texture = fractal_noise(canvas, {24, 3, 0.9, 1.0}) * 0.3 + normal_colour(canvas, 0.05);
  const auto gradient = uniform(canvas, -0.5, 0.5) * x + uniform(canvas, -0.5, 0.5) * y +
                        uniform(canvas, -0.3, 0.3) * x * y + uniform(canvas, -0.3, 0.3) * x * x +
                        white_noise(canvas, 3) * 0.02;
  std::vector<torch::Tensor> kinds{noise, clouds, texture, gradient, blobs(canvas, place)};
  for (const auto draw : {bark, grass, weave, gravel, leaves, ripples, streaks, streaks})
    kinds.push_back(lit(canvas, draw(canvas, place)));

  const auto kind =
      torch::randint(static_cast<int64_t>(kinds.size()), {canvas.count, 1, 1, 1}, canvas.options());
  auto images = torch::full_like(noise, 0.5);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    images = torch::where(kind == static_cast<double>(i), images + kinds[i], images);
  return images;
}

}  // namespace vsmax
