// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/reliability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vsmax {
namespace {

// The normalised Mann-Whitney statistic: equal confidences count one half.
std::optional<double> area_under_curve(std::span<const LineScore> scores) {
  constexpr double kLost = 0.4;
  std::vector<double> found;
  std::vector<double> lost;
  for (const LineScore& score : scores)
    (score.ea < kLost ? lost : found).push_back(score.confidence);
  if (found.empty() || lost.empty()) return std::nullopt;
  std::sort(found.begin(), found.end());
  double pairs = 0.0;
  for (const double confidence : lost) {
    const auto [first, last] = std::equal_range(found.begin(), found.end(), confidence);
    pairs += static_cast<double>(found.end() - last) + 0.5 * static_cast<double>(last - first);
  }
  return pairs / (static_cast<double>(found.size()) * static_cast<double>(lost.size()));
}

}  // namespace

std::optional<Coverage> coverage_of(const RecoveredLine& answer, PixelLine truth) {
  if (!answer.spread) return std::nullopt;
  if (std::abs(truth.theta - answer.line.theta) > std::numbers::pi / 2.0) {
    // The representative near the answer (Eq. 2), whose interval may lie across the seam.
    truth.theta -= std::copysign(std::numbers::pi, truth.theta - answer.line.theta);
    truth.rho = -truth.rho;
  }
  const auto inside = [](const std::array<double, 2>& interval, double value) {
    return value >= interval[0] && value <= interval[1] ? 1.0 : 0.0;
  };
  return Coverage{
      inside(answer.spread->theta_68, truth.theta), inside(answer.spread->theta_95, truth.theta),
      inside(answer.spread->rho_68, truth.rho), inside(answer.spread->rho_95, truth.rho)};
}

Reliability reliability_of(std::span<const LineScore> scores,
                           std::span<const std::optional<Coverage>> covered) {
  Reliability result{calibrate(scores), area_under_curve(scores), std::nullopt};
  double count = 0.0;
  Coverage sum;
  for (const auto& one : covered) {
    if (!one) continue;
    count += 1.0;
    sum.theta_68 += one->theta_68;
    sum.theta_95 += one->theta_95;
    sum.rho_68 += one->rho_68;
    sum.rho_95 += one->rho_95;
  }
  if (count > 0.0)
    result.coverage = Coverage{sum.theta_68 / count, sum.theta_95 / count, sum.rho_68 / count,
                               sum.rho_95 / count};
  return result;
}

}  // namespace vsmax
