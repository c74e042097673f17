// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/window.h"

#include <algorithm>
#include <cmath>

namespace vsmax {

CellReach window_reach(const CellShape& shape) {
  constexpr int kAngles = 3;
  return {kAngles, std::max(kAngles, kAngles * shape.rhos / shape.thetas)};
}

std::vector<Cell> find_peaks(Cells<const float> logits, CellReach reach, float least) {
  const CellShape& shape = logits.shape();
  const auto value = [&](Cell cell) { return logits.at(cell); };
  std::vector<Cell> peaks;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Cell cell = shape.cell(i);
    if (!(value(cell) >= least)) continue;
    bool highest = true;
    for_each_near(shape, cell, reach, [&](Cell other) {
      const bool earlier = shape.index(other) < i;
      highest =
          highest && !(value(other) > value(cell)) && !(earlier && value(other) == value(cell));
    });
    if (highest) peaks.push_back(cell);
  }
  std::stable_sort(peaks.begin(), peaks.end(), [&](Cell a, Cell b) { return value(a) > value(b); });
  return peaks;
}

SoftReadout read_window(Cells<const float> logits, double temperature, Cell peak, CellReach reach,
                        Cells<float> probabilities) {
  const CellShape& shape = logits.shape();
  const auto highest = static_cast<double>(logits.at(peak));
  std::fill(probabilities.begin(), probabilities.end(), 0.0F);
  SoftReadout result;
  double sum = 0.0;
  for_each_near(shape, peak, reach, [&](Cell cell) {
    const double weight = std::exp((static_cast<double>(logits.at(cell)) - highest) / temperature);
    const LineEmbedding embedding = embedding_from_line(shape.line(cell));
    for (std::size_t k = 0; k < embedding.size(); ++k)
      result.barycentre[k] += weight * embedding[k];
    probabilities.at(cell) = static_cast<float>(weight);
    sum += weight;
  });
  for (double& coordinate : result.barycentre) coordinate /= sum;
  for (float& probability : probabilities) probability = static_cast<float>(probability / sum);
  result.log_sum = highest / temperature + std::log(sum);
  return result;
}

}  // namespace vsmax
