// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/confidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

constexpr CellReach kReach{2, 2};

// The cell nearest to the line; r lies outside the accumulator for a line far from the image.
Cell nearest_cell(const CellShape& shape, UnitLine line) {
  line = canonical(line);
  int t = static_cast<int>(std::lround(line.theta / std::numbers::pi * shape.thetas));
  double rho = line.rho;
  if (t == shape.thetas) {  // nearer to pi than to the last angle: row 0 with rho flipped
    t = 0;
    rho = -rho;
  }
  const int half = shape.center();
  const double bin = std::clamp(rho * half, -2.0 * half, 2.0 * half);
  return {t, static_cast<int>(std::lround(bin)) + half};
}

double mass_near(Cells<const float> values, UnitLine line) {
  double mass = 0.0;
  for_each_near(values.shape(), nearest_cell(values.shape(), line), kReach,
                [&](Cell cell) { mass += static_cast<double>(values.at(cell)); });
  return mass;
}

}  // namespace

ExpectedScore::ExpectedScore(const HoughGrid& grid) : frame_(grid.frame()) {
  constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
  const CellShape shape = grid.shape();
  for (std::size_t i = 0; i < shape.count(); ++i) {
    const auto visible = visible_segment(grid.line(shape.cell(i)), frame_);
    midpoints_.push_back(visible ? visible->midpoint() : std::array{kNowhere, kNowhere});
  }
}

double ExpectedScore::operator()(Cells<const float> probabilities, PixelLine line) const {
  const auto visible = visible_segment(line, frame_);
  if (!visible) return 0.0;
  const std::array<double, 2> middle = visible->midpoint();
  const CellShape& shape = probabilities.shape();
  double expected = 0.0;
  for (int t = 0; t < shape.thetas; ++t) {
    const double angle = angle_between(line.theta, std::numbers::pi * t / shape.thetas);
    for (int r = 0; r < shape.rhos; ++r) {
      const Cell cell{t, r};
      const auto& other = midpoints_[shape.index(cell)];
      const auto probability = static_cast<double>(probabilities.at(cell));
      if (probability == 0.0 || std::isnan(other[0])) continue;
      expected += probability * ea_from_parts(angle, middle, other, frame_);
    }
  }
  return std::clamp(expected, 0.0, 1.0);
}

double line_probability(double log_sum, double background) {
  return 1.0 / (1.0 + std::exp(background - log_sum));
}

double distribution_confidence(Cells<const float> probabilities, double gap, UnitLine line) {
  return std::clamp(gap, 0.0, 1.0) * std::clamp(mass_near(probabilities, line), 0.0, 1.0);
}

double peak_confidence(Cells<const float> accumulator, Cell peak) {
  const CellShape& shape = accumulator.shape();
  std::array<std::size_t, (2 * kReach.t + 1) * (2 * kReach.r + 1)> near{};
  auto end = near.begin();
  for_each_near(shape, peak, kReach, [&](Cell cell) { *end++ = shape.index(cell); });
  float elsewhere = 0.0F;
  for (std::size_t i = 0; i < accumulator.size(); ++i)
    if (accumulator.data()[i] > elsewhere && std::find(near.begin(), end, i) == end)
      elsewhere = accumulator.data()[i];
  const float highest = accumulator.at(peak);
  return highest > 0.0F ? std::clamp(1.0 - static_cast<double>(elsewhere) / highest, 0.0, 1.0)
                        : 0.0;
}

}  // namespace vsmax
