// SPDX-License-Identifier: Apache-2.0
#include "draw/colormap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace vsmax::drawing {

namespace {

// Nine samples are enough: linear interpolation stays within a few units of the original.
constexpr std::array<Color, 9> kViridis{{{68, 1, 84},
                                         {71, 44, 122},
                                         {59, 81, 139},
                                         {44, 113, 142},
                                         {33, 144, 141},
                                         {39, 173, 129},
                                         {92, 200, 99},
                                         {170, 220, 50},
                                         {253, 231, 37}}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double weight) {
  return static_cast<std::uint8_t>(std::lround(a + weight * (b - a)));
}

}  // namespace

Color viridis(double value) {
  if (!(value > 0.0)) return kViridis.front();
  const double position = std::min(value, 1.0) * (kViridis.size() - 1);
  const auto step = std::min(static_cast<std::size_t>(position), kViridis.size() - 2);
  const double weight = position - static_cast<double>(step);
  const Color& a = kViridis[step];
  const Color& b = kViridis[step + 1];
  return {between(a.red, b.red, weight), between(a.green, b.green, weight),
          between(a.blue, b.blue, weight)};
}

}  // namespace vsmax::drawing
