// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/cell_scores.h"

#include <algorithm>

namespace vsmax {

CellScores::CellScores(const HoughGrid& grid)
    : frame_(grid.frame()), thetas_(static_cast<std::size_t>(grid.thetas())) {
  for (int a = 0; a < grid.thetas(); ++a)
    for (int b = 0; b < grid.thetas(); ++b)
      angles_.push_back(angle_between(grid.theta(a), grid.theta(b)));
  for (const Cell cell : grid.resolvable_cells()) {
    theta_.push_back(static_cast<std::size_t>(cell.t));
    // A resolvable line crosses the image (Eq. 8).
    midpoints_.push_back(visible_segment(grid.line(cell), frame_).value().midpoint());
  }
}

std::size_t CellScores::best_expected(std::span<const WeightedCell> distribution,
                                      std::vector<WeightedCell>& candidates) const {
  constexpr double kRounding = 1e-12;  // of sums up to 1
  candidates.resize(midpoints_.size());
  for (std::size_t cell = 0; cell < candidates.size(); ++cell) candidates[cell] = {cell, 0.0};
  double remaining = 0.0;
  for (const auto& [cell, weight] : distribution) remaining += weight;
  for (const auto& [cell, weight] : distribution) {
    remaining -= weight;
    double best = 0.0;
    for (auto& candidate : candidates) {
      candidate.weight += weight * (*this)(candidate.cell, cell);
      best = std::max(best, candidate.weight);
    }
    std::erase_if(candidates, [&](const WeightedCell& candidate) {
      return candidate.weight + remaining < best - kRounding;
    });
    if (candidates.size() == 1) break;
  }
  return std::max_element(
             candidates.begin(), candidates.end(),
             [](const WeightedCell& a, const WeightedCell& b) { return a.weight < b.weight; })
      ->cell;
}

}  // namespace vsmax
