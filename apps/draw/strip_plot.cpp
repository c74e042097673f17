// SPDX-License-Identifier: Apache-2.0
#include "draw/strip_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>

namespace vsmax::drawing {
namespace {

constexpr Color kBeyond{40, 42, 48};  // no cells there: |rho| > D

// Linear interpolation between these stays within a few units of the original.
constexpr std::array<std::uint32_t, 9> kViridis{0x440154, 0x472C7A, 0x3B518B, 0x2C718E, 0x21908D,
                                                0x27AD81, 0x5CC863, 0xAADC32, 0xFDE725};

// The value at any t, crossing the seam as often as necessary; r must lie in [0, R).
float value_across_seam(const CellShape& shape, const std::vector<float>& values, Cell cell) {
  while (!shape.contains(cell)) cell = shape.across_seam(cell);
  return values[shape.index(cell)];
}

// Calls color_at(column, row) for every pixel.
template <class ColorAt>
RgbImage painted(int side, const ColorAt& color_at) {
  RgbImage picture(side, side);
  std::uint8_t* next = picture.pixels.data();
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const Color color = color_at(column, row);
      next = std::copy(color.begin(), color.end(), next);
    }
  return picture;
}

}  // namespace

Color viridis(double value) {
  const double position = value > 0.0 ? std::min(value, 1.0) * (kViridis.size() - 1) : 0.0;
  const auto step = std::min(static_cast<std::size_t>(position), kViridis.size() - 2);
  const double weight = position - static_cast<double>(step);
  const auto channel = [&](unsigned shift) {
    const double below = kViridis[step] >> shift & 0xFFU;
    const double above = kViridis[step + 1] >> shift & 0xFFU;
    return static_cast<std::uint8_t>(std::lround(below + weight * (above - below)));
  };
  return {channel(16), channel(8), channel(0)};
}

std::array<PixelLine, 3> equivalents(PixelLine line) {
  line = canonical(line);
  return {{{line.theta - std::numbers::pi, -line.rho},
           line,
           {line.theta + std::numbers::pi, -line.rho}}};
}

Point position_in_plot(const HoughGrid& grid, double side, PixelLine line) {
  return {line.theta / std::numbers::pi * side,
          (line.rho / grid.bin_width() + 0.5 * grid.rhos()) / grid.rhos() * side};
}

Point offset_in_cells(const HoughGrid& grid, Cell cell, PixelLine line) {
  Point nearest{1e9, 1e9};
  for (const auto& [theta, rho] : equivalents(line)) {
    const Point offset{(theta - grid.theta(cell.t)) / std::numbers::pi * grid.thetas(),
                       (rho - grid.rho(cell.r)) / grid.bin_width()};
    if (std::hypot(offset.x, offset.y) < std::hypot(nearest.x, nearest.y)) nearest = offset;
  }
  return nearest;
}

RgbImage strip_picture(const HoughGrid& grid, const std::vector<float>& shades, int side) {
  const std::int64_t thetas = grid.thetas();
  const std::int64_t rhos = grid.rhos();
  return painted(side, [&](int column, int row) {
    const auto first_r = static_cast<int>(row * rhos / side);
    const auto last_r = static_cast<int>(((row + 1) * rhos - 1) / side);
    // Cell t reaches half a step to either side of its angle.
    const auto first_t = static_cast<int>((2 * column * thetas + side) / (2 * side));
    const auto last_t = static_cast<int>((2 * (column + 1) * thetas + side - 1) / (2 * side));
    float brightest = 0.0F;
    for (int t = first_t; t <= last_t; ++t)
      for (int r = first_r; r <= last_r; ++r)
        brightest = std::max(brightest, value_across_seam(grid.shape(), shades, {t, r}));
    return viridis(static_cast<double>(brightest));
  });
}

RgbImage neighbourhood_picture(const HoughGrid& grid, const std::vector<float>& shades, Cell centre,
                               int reach, int cell_side) {
  return painted((2 * reach + 1) * cell_side, [&](int column, int row) {
    const int t = centre.t + column / cell_side - reach;
    const int r = centre.r + row / cell_side - reach;
    if (r < 0 || r >= grid.rhos()) return kBeyond;
    return viridis(static_cast<double>(value_across_seam(grid.shape(), shades, {t, r})));
  });
}

std::vector<float> count_shades(const std::vector<float>& counts) {
  constexpr double kShadeOfMean = 0.3;
  std::vector<float> shades(counts.size(), 0.0F);
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  if (!(most > 0.0)) return shades;
  const double mean =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  const double ratio = std::clamp(mean / most, 1e-6, 0.99);
  const double power = std::clamp(std::log(kShadeOfMean) / std::log(ratio), 0.35, 2.0);
  std::transform(counts.begin(), counts.end(), shades.begin(), [&](float count) {
    return static_cast<float>(std::pow(std::max(static_cast<double>(count), 0.0) / most, power));
  });
  return shades;
}

std::vector<float> probability_shades(const std::vector<float>& probabilities) {
  constexpr double kDecades = 6.0;
  std::vector<float> shades(probabilities.size(), 0.0F);
  const float largest = *std::max_element(probabilities.begin(), probabilities.end());
  std::transform(probabilities.begin(), probabilities.end(), shades.begin(), [&](float value) {
    const double ratio = static_cast<double>(value) / static_cast<double>(largest);
    const double shade = ratio > 0.0 ? 1.0 + std::log10(ratio) / kDecades : 0.0;
    return static_cast<float>(std::max(0.0, shade));
  });
  return shades;
}

}  // namespace vsmax::drawing
