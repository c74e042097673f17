// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/confidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "vsmax/hough/cover.h"

namespace vsmax {

namespace {

constexpr int kReach = 2;

// Calls body(cell) for the cells within kReach bins of (t, r) on the Moebius strip, each once.
template <class Body>
void for_each_near(const HoughGrid& grid, int t, int r, const Body& body) {
  const int reach = std::min(kReach, (grid.thetas() - 1) / 2);
  for (int dt = -reach; dt <= reach; ++dt) {
    const CoverRow row = cover_row(Cover::kSingle, grid.thetas(), t + dt);
    const int center = row.flipped ? grid.rhos() - 1 - r : r;
    for (int dr = -kReach; dr <= kReach; ++dr)
      if (center + dr >= 0 && center + dr < grid.rhos()) body(Cell{row.row, center + dr});
  }
}

std::size_t index_of(const HoughGrid& grid, Cell cell) {
  return static_cast<std::size_t>(cell.t) * static_cast<std::size_t>(grid.rhos()) +
         static_cast<std::size_t>(cell.r);
}

}  // namespace

double mass_near(const HoughGrid& grid, const float* values, PolarLine line) {
  line = canonical(line);
  int t = static_cast<int>(std::lround(line.theta / std::numbers::pi * grid.thetas()));
  double rho = line.rho;
  if (t == grid.thetas()) {  // nearer to pi than to the last angle: row 0 with rho flipped
    t = 0;
    rho = -rho;
  }
  const int half = (grid.rhos() - 1) / 2;
  const double bin = std::clamp(rho / grid.bin_width(), -2.0 * half, 2.0 * half);
  double mass = 0.0;
  for_each_near(grid, t, static_cast<int>(std::lround(bin)) + half,
                [&](Cell cell) { mass += static_cast<double>(values[index_of(grid, cell)]); });
  return mass;
}

double distribution_confidence(const HoughGrid& grid, const float* probabilities, double gap,
                               PolarLine line) {
  return std::clamp(gap, 0.0, 1.0) * std::clamp(mass_near(grid, probabilities, line), 0.0, 1.0);
}

double peak_confidence(const HoughGrid& grid, const float* accumulator, Cell peak) {
  constexpr std::size_t kSide = 2 * kReach + 1;
  std::array<std::size_t, kSide * kSide> near{};
  auto end = near.begin();
  for_each_near(grid, peak.t, peak.r, [&](Cell cell) { *end++ = index_of(grid, cell); });
  float elsewhere = 0.0F;
  for (std::size_t i = 0; i < grid.cells(); ++i)
    if (accumulator[i] > elsewhere && std::find(near.begin(), end, i) == end)
      elsewhere = accumulator[i];
  const float highest = accumulator[index_of(grid, peak)];
  return highest > 0.0F ? std::clamp(1.0 - static_cast<double>(elsewhere) / highest, 0.0, 1.0)
                        : 0.0;
}

}  // namespace vsmax
