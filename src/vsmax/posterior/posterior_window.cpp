// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/posterior_window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vsmax {

PosteriorWindow::PosteriorWindow(const ImageFrame& frame, const ChordLine& line, double reach,
                                 std::optional<MapRows> piece)
    : flat_(line.flat),
      half_(half_sides(frame, line.flat)),
      piece_(piece),
      range_middle_(reach),
      range_end_(reach) {
  // The chord is where |offset - slope u| <= half.v.
  double first = -half_.u;
  double last = half_.u;
  constexpr double kLevel = 1e-12;
  if (std::abs(line.slope) > kLevel) {
    const double a = (line.offset - half_.v) / line.slope;
    const double b = (line.offset + half_.v) / line.slope;
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  if (piece_) {
    first = piece_->first - half_.u;
    last = piece_->last - 1 - half_.u;
  }
  chord_middle_ = 0.5 * (first + last);
  chord_half_ = std::max(1.0, 0.5 * (last - first));
  middle_ = line.offset - line.slope * chord_middle_;
  end_ = -line.slope * chord_half_;
}

bool PosteriorWindow::within(const ChordLine& line, double middle, double end) const {
  constexpr double kLevel = 1e-3;
  if (line.flat != flat_ && std::abs(line.slope) < kLevel) return false;
  const ChordLine same = line.flat == flat_ ? line : line.transposed();
  return std::abs(same.offset - same.slope * chord_middle_ - middle_) <= middle &&
         std::abs(-same.slope * chord_half_ - end_) <= end;
}

// The rows that any line of the window can touch.
MapRows PosteriorWindow::rows_touched(const EvidenceMap& map) const {
  if (piece_) return *piece_;
  const int rows = map.rows(flat_);
  MapRows range{rows, 0};
  for (int row = 0; row < rows; ++row) {
    const double along = (row - half_.u - chord_middle_) / chord_half_;
    const double v = middle_ + end_ * along;
    const double reach = range_middle_ + std::abs(along) * range_end_ + map.width();
    if (std::abs(v) - reach > half_.v) continue;
    range.first = std::min(range.first, row);
    range.last = row + 1;
  }
  range.first = std::min(range.first, range.last);
  return range;
}

void PosteriorWindow::evaluate(const EvidenceMap& map) {
  constexpr double kNever = -1e30;
  const MapRows rows = rows_touched(map);
  weights_.resize(static_cast<std::size_t>(kSide) * kSide);
  double highest = kNever;
  auto log_weight = weights_.begin();
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) {
      const ChordLine line = cell(c, r);
      double log_posterior = kNever;
      if (line.meets(half_)) {
        // A piece is always counted in its own rows, even if it is slightly beyond the diagonal.
        const bool steep = piece_ || std::abs(line.slope) <= 1.0;
        const ChordLine counted = steep ? line : line.transposed();
        const MapRows all{0, map.rows(counted.flat)};
        log_posterior =
            static_cast<double>(map.sum(counted, steep ? rows : all)) + line.log_prior();
      }
      *log_weight++ = log_posterior;
      if (log_posterior <= highest) continue;
      highest = log_posterior;
      peak_middle_ = middle_ + range_middle_ * place(c);
      peak_end_ = end_ + range_end_ * place(r);
    }

  auto next = weights_.begin();
  double sum = 0.0;
  double mean_x = 0.0;
  double mean_y = 0.0;
  double square_x = 0.0;
  double square_y = 0.0;
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) {
      double& weight = *next++;
      weight = std::exp(weight - highest);
      const double x = place(c);
      const double y = place(r);
      sum += weight;
      mean_x += weight * x;
      mean_y += weight * y;
      square_x += weight * x * x;
      square_y += weight * y * y;
    }
  for (double& weight : weights_) weight /= sum;
  mean_x /= sum;
  mean_y /= sum;
  mean_middle_ = middle_ + range_middle_ * mean_x;
  mean_end_ = end_ + range_end_ * mean_y;
  spread_middle_ = range_middle_ * std::sqrt(std::max(0.0, square_x / sum - mean_x * mean_x));
  spread_end_ = range_end_ * std::sqrt(std::max(0.0, square_y / sum - mean_y * mean_y));
  // d offset d slope = d middle d end / chord_half_.
  const double area = range_middle_ * range_end_ * 4.0 / ((kSide - 1) * (kSide - 1) * chord_half_);
  log_mass_ = highest + std::log(sum * area);
  ++rounds_;
}

bool PosteriorWindow::step() {
  constexpr int kMostRounds = 7;
  constexpr double kSpread = 4.5;  // standard deviations to either side
  constexpr double kShrink = 0.375;
  constexpr double kGrow = 2.0;
  const auto next_range = [](double spread, double range, double from_peak) {
    const double fitted = std::clamp(kSpread * spread, kShrink * range, kGrow * range);
    // The peak must stay inside, even if only a few distant cells have any weight.
    return std::max(fitted, from_peak + 2.0 * range / (kSide - 1));
  };
  const double next_middle =
      next_range(spread_middle_, range_middle_, std::abs(peak_middle_ - mean_middle_));
  const double next_end = next_range(spread_end_, range_end_, std::abs(peak_end_ - mean_end_));
  const auto fits = [](double next, double range, double shift) {
    return next > 0.65 * range && next < 1.4 * range && std::abs(shift) < 0.3 * range;
  };
  if (rounds_ >= kMostRounds || (fits(next_middle, range_middle_, mean_middle_ - middle_) &&
                                 fits(next_end, range_end_, mean_end_ - end_)))
    return false;
  middle_ = mean_middle_;
  end_ = mean_end_;
  range_middle_ = next_middle;
  range_end_ = next_end;
  return true;
}

}  // namespace vsmax
