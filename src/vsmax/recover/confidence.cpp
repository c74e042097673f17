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

constexpr float kNegligible = 1e-7F;  // all such cells together hold about 1 % at most

// Does not stop at the first one found, so that the loop vectorises.
bool any_above(const float* values, int count, float least) {
  unsigned found = 0;
  for (int i = 0; i < count; ++i) found |= values[i] >= least ? 1U : 0U;
  return found != 0;
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
    const float* row = probabilities.row(t);
    if (!any_above(row, shape.rhos, kNegligible)) continue;
    const double angle = angle_between(line.theta, std::numbers::pi * t / shape.thetas);
    for (int r = 0; r < shape.rhos; ++r) {
      if (row[r] < kNegligible) continue;
      const auto& other = midpoints_[shape.index({t, r})];
      if (std::isnan(other[0])) continue;
      expected += static_cast<double>(row[r]) * ea_from_parts(angle, middle, other, frame_);
    }
  }
  return std::clamp(expected, 0.0, 1.0);
}

double score_within_cell(const HoughGrid& grid) {
  constexpr int kSteps = 8;  // in either direction
  const PixelLine middle = grid.line({grid.thetas() / 2, grid.rhos() / 2});
  const auto offset = [](int step) { return (step + 0.5) / kSteps - 0.5; };  // in cells
  double sum = 0.0;
  for (int t = 0; t < kSteps; ++t)
    for (int r = 0; r < kSteps; ++r)
      sum += ea_score({middle.theta + offset(t) * std::numbers::pi / grid.thetas(),
                       middle.rho + offset(r) * grid.bin_width()},
                      middle, grid.frame());
  return sum / (kSteps * kSteps);
}

double line_probability(double log_sum, double background) {
  return 1.0 / (1.0 + std::exp(background - log_sum));
}

}  // namespace vsmax
