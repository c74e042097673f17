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

// What one image's confidence promised, and what it came to: on average over all images with that
// confidence, so that their order does not matter.
struct Promise {
  double confidence;
  double ea;
  double ea_square;
  std::size_t equal;  // images with that confidence
};

Calibration::Bin bin_of(std::span<const Promise> promises) {
  Calibration::Bin bin{promises.size(), 0.0, 0.0};
  for (const Promise& promise : promises) {
    bin.confidence += promise.confidence / static_cast<double>(bin.count);
    bin.ea += promise.ea / static_cast<double>(bin.count);
  }
  return bin;
}

// The gap to expect in a bin if the confidence is right on average (Eq. 60): the mean absolute
// value of a normal variable with the deviation of the bin's mean EA - confidence.
double gap_by_chance(std::span<const Promise> promises, const Calibration::Bin& bin) {
  const auto count = static_cast<double>(bin.count);
  double squares = 0.0;   // of EA - confidence
  double averaged = 0.0;  // the variance of the mean, relative to that of one image
  for (const Promise& promise : promises) {
    const double c = promise.confidence;
    squares += (promise.ea_square - 2.0 * c * promise.ea + c * c) / count;
    // Images of equal confidence share one mean EA, in this bin and in its neighbours.
    const auto here = std::count_if(promises.begin(), promises.end(),
                                    [&](const Promise& other) { return other.confidence == c; });
    averaged += static_cast<double>(here) / static_cast<double>(promise.equal) / (count * count);
  }
  const double gap = bin.ea - bin.confidence;
  const double variance = std::max(0.0, squares - gap * gap) * count / (count - 1.0);
  return std::sqrt(2.0 * std::numbers::inv_pi * variance * averaged);
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
  std::vector<Promise> promises;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(), [&](const LineScore& score) {
      return score.confidence != first->confidence;
    });
    Promise promise{first->confidence, 0.0, 0.0, static_cast<std::size_t>(last - first)};
    const auto equal = static_cast<double>(promise.equal);
    for (auto score = first; score != last; ++score) {
      promise.ea += score->ea / equal;
      promise.ea_square += score->ea * score->ea / equal;
    }
    promises.insert(promises.end(), promise.equal, promise);
    first = last;
  }

  Calibration calibration;
  const std::size_t count = promises.size();
  for (std::size_t b = 0; b < bins; ++b) {
    const std::span<const Promise> part(promises.data() + b * count / bins,
                                        promises.data() + (b + 1) * count / bins);
    if (part.empty()) continue;
    const Calibration::Bin bin = bin_of(part);
    const double share = static_cast<double>(bin.count) / static_cast<double>(count);
    const double gap = std::abs(bin.confidence - bin.ea);
    calibration.error += share * gap;
    // One image alone does not tell its scatter.
    calibration.chance += share * (bin.count == 1 ? gap : gap_by_chance(part, bin));
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
