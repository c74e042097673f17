// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/image_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

MeanAndMedian mean_and_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());  // the same sum for any order of the images
  const double mean = mean_of(values);
  return {mean, quantile(std::move(values), 0.5)};
}

}  // namespace

LineScore score_line(const Recovery& answer, PixelLine truth, const ImageFrame& frame) {
  LineScore score;
  if (answer.lines.empty()) return score;
  const RecoveredLine& found = answer.lines.front();
  score.confidence = found.confidence;
  const auto a = visible_segment(found.line, frame);
  const auto b = visible_segment(truth, frame);
  if (!a || !b) return score;
  const auto [ax, ay] = a->midpoint();
  const auto [bx, by] = b->midpoint();
  score.ea = ea_score(found.line, truth, frame);
  score.angle = angle_between(found.line.theta, truth.theta) * 180.0 / std::numbers::pi;
  score.offset = std::hypot(ax - bx, ay - by);
  return score;
}

Calibration calibrate(std::span<const LineScore> scores, std::size_t bins) {
  std::vector<LineScore> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end(), [](const LineScore& a, const LineScore& b) {
    return a.confidence != b.confidence ? a.confidence < b.confidence : a.ea < b.ea;
  });
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(), [&](const LineScore& score) {
      return score.confidence != first->confidence;
    });
    double sum = 0.0;
    for (auto score = first; score != last; ++score) sum += score->ea;
    for (auto score = first; score != last; ++score)
      score->ea = sum / static_cast<double>(last - first);
    first = last;
  }

  Calibration calibration;
  const std::size_t count = sorted.size();
  for (std::size_t b = 0; b < bins; ++b) {
    Calibration::Bin bin;
    for (std::size_t i = b * count / bins; i < (b + 1) * count / bins; ++i) {
      ++bin.count;
      bin.confidence += sorted[i].confidence;
      bin.ea += sorted[i].ea;
    }
    if (bin.count == 0) continue;
    calibration.error += std::abs(bin.confidence - bin.ea) / static_cast<double>(count);
    bin.confidence /= static_cast<double>(bin.count);
    bin.ea /= static_cast<double>(bin.count);
    calibration.bins.push_back(bin);
  }
  return calibration;
}

LineSummary summarize(std::span<const LineScore> scores) {
  std::vector<double> eas;
  std::vector<double> angles;
  std::vector<double> offsets;
  for (const LineScore& score : scores) {
    eas.push_back(score.ea);
    if (score.angle) angles.push_back(*score.angle);
    if (score.offset) offsets.push_back(*score.offset);
  }
  LineSummary summary;
  summary.count = scores.size();
  summary.found = angles.size();
  summary.ea = mean_and_median(eas);
  summary.ea_percentile_5 = quantile(eas, 0.05);
  const auto below = std::count_if(eas.begin(), eas.end(), [](double ea) { return ea < 0.5; });
  summary.below_half = static_cast<double>(below) / static_cast<double>(eas.size());
  summary.angle = mean_and_median(std::move(angles));
  summary.offset = mean_and_median(std::move(offsets));
  summary.calibration = calibrate(scores);
  return summary;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

}  // namespace vsmax
