// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/crop_rows.h"

#include <torch/nn/functional/vision.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

namespace F = torch::nn::functional;

// A flat field seen in perspective. Lengths are in units of half the picture's height; on the
// ground, in what such a unit covers at the picture's bottom edge (y = 1).
struct Ground {
  torch::Tensor x, y;      // of each pixel from the centre, after the camera's roll
  torch::Tensor vanish_x;  // where the rows meet
  torch::Tensor vanish_y;
  torch::Tensor focal;  // ground ahead per unit of depth
  torch::Tensor roll;
  double pixels = 1.0;  // per unit

  // Depth relative to that at the bottom edge, of the ground in row y.
  torch::Tensor depth(const torch::Tensor& rows) const {
    constexpr double kNearest = 0.02;
    return (1.0 - vanish_y) / (rows - vanish_y).clamp_min(kNearest);
  }
};

Ground random_ground(const Canvas& canvas) {
  const auto [columns, rows] = pixel_positions(canvas.frame, canvas.device);
  const double unit = 0.5 * canvas.frame.height;
  const auto roll = uniform(canvas, -0.2, 0.2) * chance(canvas, 0.7);
  const auto cosine = torch::cos(roll);
  const auto sine = torch::sin(roll);
  return {(columns * cosine + rows * sine) / unit,
          (rows * cosine - columns * sine) / unit,
          torch::randn({canvas.count, 1, 1, 1}, canvas.options()) * 0.3 +
              uniform(canvas, -1.6, 1.6) * chance(canvas, 0.25),
          -1.0 - uniform(canvas, -0.3, 1.0) - uniform(canvas, 0.0, 2.5) * chance(canvas, 0.5),
          uniform(canvas, 1.2, 3.0),
          roll,
          unit};
}

// Where plants stand on the ground: in rows that meet at the vanishing point.
struct Lattice {
  torch::Tensor offset;    // of row 0, to the right of the vanishing point
  torch::Tensor spacing;   // between rows
  torch::Tensor step;      // between plants of a row, in depth
  torch::Tensor jitter;    // greatest distance from the row, as a share of the spacing
  torch::Tensor presence;  // share of the places that bear a plant
  torch::Tensor patches;   // how much this share varies from place to place
  torch::Tensor radius;    // of a plant
};

constexpr int kRows = 8;     // either side of row 0
constexpr int kLayers = 14;  // of plants, one behind the other

// One number per row, drawn anew, at each pixel of the row.
torch::Tensor per_row(const Canvas& canvas, const torch::Tensor& row) {
  const auto values = torch::rand({canvas.count, 2 * kRows + 1}, canvas.options());
  return values.gather(1, row.flatten(1)).view(row.sizes());
}

// The look of a kind of plant.
struct Leaves {
  torch::Tensor colour;
  torch::Tensor height;   // of the middle of the leaves above the ground, in radii
  torch::Tensor slender;  // height of the leaves over their width
  torch::Tensor lobes;    // leaves around the middle
  torch::Tensor depth;    // of the gaps between them, 0 to 1
};

Leaves random_leaves(const Canvas& canvas) {
  const auto red = uniform(canvas, 0.1, 0.5);
  const auto green = uniform(canvas, 0.3, 0.8);
  const auto blue = uniform(canvas, 0.05, 0.45);
  return {torch::cat({red, green, blue}, 1), uniform(canvas, 0.1, 1.3), uniform(canvas, 0.6, 1.5),
          torch::floor(uniform(canvas, 3.0, 9.0)), uniform(canvas, 0.0, 0.8)};
}

struct Shadow {
  torch::Tensor strength;
  torch::Tensor to_the_right;  // in radii of the plant
};

torch::Tensor add_plants(const Canvas& canvas, const Ground& ground, const Lattice& lattice,
                         const Leaves& leaves, const Shadow& shadow, torch::Tensor image) {
  const auto warp_x = fractal_noise(canvas, {12, 3, 0.8, 1.0}) * 0.2;
  const auto warp_y = fractal_noise(canvas, {12, 3, 0.8, 1.0}) * 0.2;
  const auto nearest = uniform(canvas, 0.6, 0.9);
  const auto across = uniform(canvas, 0.2, 1.0);
  const auto ahead_of = uniform(canvas, 0.2, 1.0);
  const auto start = uniform(canvas, 0.0, 2.0 * std::numbers::pi);
  for (int layer = kLayers - 1; layer >= 0; --layer) {
    const auto depth = nearest + lattice.step * (uniform(canvas, 0.7, 1.3) + layer);
    const auto lateral = ((ground.x - ground.vanish_x) * depth - lattice.offset) / lattice.spacing;
    const auto row = torch::round(lateral).clamp(-kRows, kRows);
    const auto index = row.to(torch::kLong) + kRows;
    const auto patch = torch::sin(row * across + layer * ahead_of + start);
    const auto present =
        (per_row(canvas, index) < lattice.presence + lattice.patches * patch).to(torch::kFloat);
    const auto radius = lattice.radius * (per_row(canvas, index) * 0.9 + 0.4);
    const auto aside = (per_row(canvas, index) * 2.0 - 1.0) * lattice.jitter;
    const auto tone = per_row(canvas, index) * 0.4 - 0.2;
    const auto phase = per_row(canvas, index) * (2.0 * std::numbers::pi);
    const auto ahead = (per_row(canvas, index) - 0.5) * 0.6 * lattice.step;
    const auto bottom = ground.vanish_y + (1.0 - ground.vanish_y) / (depth + ahead);

    // The plant's own coordinates, in radii from the foot of its stem.
    const auto right = (lateral - row - aside) * lattice.spacing / radius + warp_x;
    const auto up = (bottom - ground.y) * depth / radius + warp_y;
    const auto sharpness = radius / depth * ground.pixels;
    const auto shade = torch::sigmoid((0.9 - torch::hypot(right - shadow.to_the_right, up * 2.5)) *
                                      sharpness * 0.7);
    image = image * (1.0 - shadow.strength * shade * present);

    const auto above = (up - leaves.height) / leaves.slender;
    const auto wave = torch::cos(torch::atan2(above, right) * leaves.lobes + phase);
    const auto reach = 1.0 - leaves.depth * (0.5 - 0.5 * wave);
    const auto mask = torch::sigmoid((reach - torch::hypot(right, above)) * sharpness) * present;
    const auto light = 0.8 + tone + above * 0.3 + wave * 0.15 + warp_x * 1.2;
    image = blend(image, leaves.colour * light, mask);
  }
  return image;
}

// A texture on the ground whose grains have that size.
torch::Tensor ground_texture(const Canvas& canvas, const Ground& ground, const torch::Tensor& depth,
                             const torch::Tensor& grain) {
  constexpr int64_t kSide = 192;
  const auto texture = torch::randn({canvas.count, 1, kSide, kSide}, canvas.options());
  const auto scale = 2.0 / kSide / grain;
  const auto grid = torch::stack({folded((ground.x - ground.vanish_x) * depth * scale).squeeze(1),
                                  folded(depth * ground.focal * scale).squeeze(1)},
                                 -1);
  return F::grid_sample(texture, grid,
                        F::GridSampleFuncOptions().mode(torch::kBilinear).align_corners(true));
}

torch::Tensor draw_soil(const Canvas& canvas, const Ground& ground, const Lattice& crop) {
  const auto depth = ground.depth(ground.y).clamp_max(20.0);
  const auto brightness = uniform(canvas, 0.1, 0.7);
  const auto cast = normal_colour(canvas, 0.03) +
                    torch::tensor({0.04, 0.0, -0.04}, canvas.options()).view({1, 3, 1, 1}) *
                        uniform(canvas, -0.5, 3.0);
  auto soil = brightness + cast + uniform(canvas, -0.15, 0.15) * ground.y +
              fractal_noise(canvas, {3, 4, 0.6, 1.0}) * uniform(canvas, 0.0, 0.06);
  soil = soil +
         ground_texture(canvas, ground, depth, uniform(canvas, 0.01, 0.03)) *
             uniform(canvas, 0.02, 0.15) +
         ground_texture(canvas, ground, depth, uniform(canvas, 0.04, 0.12)) *
             uniform(canvas, 0.0, 0.1);
  // Furrows, tracks of the drill: along the rows, but with a spacing of their own.
  const auto across = (ground.x - ground.vanish_x) * depth / crop.spacing;
  const auto furrows = torch::cos((across * uniform(canvas, 0.5, 4.0) + uniform(canvas, 0.0, 1.0)) *
                                  (2.0 * std::numbers::pi));
  soil = soil + furrows * uniform(canvas, 0.0, 0.1) * chance(canvas, 0.5);
  // Stones: bright grains with a dark side.
  const auto grain = uniform(canvas, 0.015, 0.09);
  const auto stones = ground_texture(canvas, ground, depth, grain);
  const auto stone = torch::sigmoid((stones - uniform(canvas, 0.7, 2.4)) * 6.0);
  soil =
      blend(soil, brightness + uniform(canvas, 0.1, 0.5) + cast * 0.5, stone * chance(canvas, 0.8));
  const auto hollows = torch::sigmoid((-stones - uniform(canvas, 1.0, 2.6)) * 6.0);
  return soil * (1.0 - hollows * uniform(canvas, 0.0, 0.8));
}

// Rows too far away to tell their plants apart: ragged stripes beyond the last layer.
torch::Tensor add_far_rows(const Canvas& canvas, const Ground& ground, const Lattice& crop,
                           const Leaves& leaves, const torch::Tensor& soil) {
  const auto depth = ground.depth(ground.y).clamp_max(20.0);
  const auto lateral = ((ground.x - ground.vanish_x) * depth - crop.offset) / crop.spacing;
  const auto distance = (lateral - torch::round(lateral)).abs() * crop.spacing;
  const auto ragged = fractal_noise(canvas, {32, 3, 0.9, 1.0});
  const auto width = crop.radius * (0.6 + 0.5 * ragged);
  const auto mask = torch::sigmoid((width - distance) / depth * ground.pixels) *
                    torch::sigmoid((ragged + crop.presence * 4.0 - 2.0) * 3.0);
  const auto light = 0.75 + ragged * 0.2;
  return blend(soil, leaves.colour * light, mask);
}

torch::Tensor add_light(const Canvas& canvas, const Ground& ground, torch::Tensor image) {
  // Shadows of what stands beside the picture.
  const auto edge = uniform(canvas, -1.2, 1.2) + uniform(canvas, -0.8, 0.8) * ground.y +
                    random_profile(ground.y, 6) * 0.15;
  const auto side = chance(canvas, 0.5) * 2.0 - 1.0;
  const auto dark = torch::sigmoid((ground.x - edge) * side * (ground.pixels / 2.0));
  image = image * (1.0 - dark * uniform(canvas, 0.2, 0.7) * chance(canvas, 0.25));
  // Glare of a low sun, from above.
  const auto distance =
      torch::hypot(ground.x - uniform(canvas, -1.2, 1.2), ground.y + uniform(canvas, 0.7, 1.4));
  const auto glare = torch::exp(-(distance / uniform(canvas, 0.4, 1.6)).square());
  image = image + glare * uniform(canvas, 0.1, 0.8) * chance(canvas, 0.2);
  return image * (1.0 + normal_colour(canvas, 0.06));
}

// Every row's line, from the vanishing point to the bottom edge.
torch::Tensor row_lines(const Canvas& canvas, const Ground& ground, const Lattice& crop) {
  const auto row = torch::arange(-kRows, kRows + 1, canvas.options()).view({1, -1});
  const auto flat = [](const torch::Tensor& numbers) { return numbers.view({-1, 1}); };
  const auto turned = [&](const torch::Tensor& x, const torch::Tensor& y) {
    const auto cosine = torch::cos(flat(ground.roll));
    const auto sine = torch::sin(flat(ground.roll));
    return std::array{(x * cosine - y * sine) * ground.pixels,
                      (x * sine + y * cosine) * ground.pixels};
  };
  const auto x = flat(ground.vanish_x) + flat(crop.offset) + row * flat(crop.spacing);
  const auto [x0, y0] =
      turned(flat(ground.vanish_x).expand_as(x), flat(ground.vanish_y).expand_as(x));
  const auto [x1, y1] = turned(x, torch::ones_like(x));
  return polar_from_ends(torch::stack({x0, y0, x1, y1}, -1), canvas.frame);
}

}  // namespace

CropRows draw_crop_rows(const Canvas& canvas) {
  const Ground ground = random_ground(canvas);
  // In pictures higher than wide, too, some row meets the bottom edge.
  const double narrow =
      std::min(1.0, static_cast<double>(canvas.frame.width) / canvas.frame.height);
  const auto spacing = uniform(canvas, 0.4, 1.5) * narrow;
  const Lattice crop{uniform(canvas, -0.5, 0.5) * spacing - ground.vanish_x,
                     spacing,
                     spacing * uniform(canvas, 0.25, 0.9) / ground.focal,
                     uniform(canvas, 0.0, 0.12),
                     uniform(canvas, 0.3, 1.1),
                     uniform(canvas, 0.0, 0.3),
                     spacing * uniform(canvas, 0.07, 0.35)};
  const Leaves leaves = random_leaves(canvas);
  const Shadow shadow{uniform(canvas, 0.0, 0.8), uniform(canvas, -1.2, 1.2)};
  auto image = draw_soil(canvas, ground, crop);
  image = add_far_rows(canvas, ground, crop, leaves, image);

  // Weeds grow anywhere, in patches, and may hide the crop.
  const auto weed_spacing = uniform(canvas, 0.15, 0.6);
  const Lattice weeds{uniform(canvas, -1.0, 1.0),
                      weed_spacing,
                      weed_spacing * uniform(canvas, 0.4, 1.2) / ground.focal,
                      torch::full_like(spacing, 0.5),
                      uniform(canvas, -0.3, 0.8) * chance(canvas, 0.7),
                      uniform(canvas, 0.0, 0.8) * chance(canvas, 0.7),
                      weed_spacing * uniform(canvas, 0.08, 0.45)};
  Leaves weed_leaves = random_leaves(canvas);
  weed_leaves.colour = blend(leaves.colour, weed_leaves.colour, uniform(canvas, 0.0, 1.0)) *
                       uniform(canvas, 0.6, 1.1);
  image = add_plants(canvas, ground, weeds, weed_leaves, shadow, image);
  image = add_plants(canvas, ground, crop, leaves, shadow, image);

  const auto sky = uniform(canvas, 0.5, 1.1) + normal_colour(canvas, 0.1);
  const auto above = ground.vanish_y - ground.y + random_profile(ground.x, 12) * 0.03;
  image = blend(image, leaves.colour * 0.6,
                torch::sigmoid((above + uniform(canvas, 0.0, 0.1)) * ground.pixels));  // a hedge
  image = blend(image, sky, torch::sigmoid((above - uniform(canvas, 0.0, 0.1)) * ground.pixels));
  return {add_light(canvas, ground, image), row_lines(canvas, ground, crop)};
}

}  // namespace vsmax
