// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/line_estimator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "vsmax/geometry/ea_score.h"
#include "vsmax/geometry/embedded_line.h"

namespace vsmax {
namespace {

constexpr double kNever = -1e30;
constexpr int kLargestScan = 512;  // pixels on a side

int reduction_for(const ImageFrame& frame) {
  return (std::max(frame.width, frame.height) + kLargestScan - 1) / kLargestScan;
}

ImageFrame reduced(const ImageFrame& frame, int reduction) {
  return {(frame.width + reduction - 1) / reduction, (frame.height + reduction - 1) / reduction};
}

double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

}  // namespace

LineEstimator::LineEstimator(const ImageFrame& frame)
    : frame_(frame),
      reduction_(reduction_for(frame)),
      scan_frame_(reduced(frame, reduction_)),
      scan_(scan_frame_) {}

void LineEstimator::fill_map(std::span<const float> pixels, const NoiseModel& noise, double share) {
  // Between black and white the log ratio is linear in the value, and with gaps nearly so from one
  // step of the table to the next, so the table is interpolated. Clipped values are handled apart.
  constexpr int kSteps = 4096;
  NoiseModel unclipped = noise;
  unclipped.clipped_low = unclipped.clipped_high = false;
  std::array<float, kSteps + 2> table{};
  const double range = noise.high - noise.low;
  for (int i = 0; i <= kSteps; ++i)
    table[static_cast<std::size_t>(i)] =
        static_cast<float>(with_gaps(unclipped.log_ratio(noise.low + range * i / kSteps), share));
  table[kSteps + 1] = table[kSteps];
  const auto at_low = static_cast<float>(with_gaps(noise.log_ratio(noise.low), share));
  const auto at_high = static_cast<float>(with_gaps(noise.log_ratio(noise.high), share));
  const auto low = static_cast<float>(noise.low);
  const auto high = static_cast<float>(noise.high);
  evidence_.resize(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const float value = pixels[i];
    if (value <= low || value >= high) {
      evidence_[i] = value <= low ? at_low : at_high;
      continue;
    }
    // In double, because steps per grey value overflow a float where there is hardly any contrast.
    const double place = (value - noise.low) * (kSteps / range);
    const auto step = static_cast<std::size_t>(place);
    const auto beyond = static_cast<float>(place - static_cast<double>(step));
    evidence_[i] = table[step] + beyond * (table[step + 1] - table[step]);
  }
  map_.assign(frame_, evidence_);
}

void LineEstimator::find_candidates(LineExtent extent) {
  if (reduction_ > 1) {
    pooled_.assign(scan_frame_.pixels(), 0.0F);
    for (int y = 0; y < frame_.height; ++y)
      for (int x = 0; x < frame_.width; ++x)
        pooled_[scan_frame_.index(x / reduction_, y / reduction_)] += evidence_[frame_.index(x, y)];
    pooled_map_.assign(scan_frame_, pooled_);
  }
  // The centres of the reduced and the full image may be up to half a reduced pixel apart.
  const double shift_x = 0.5 * (reduction_ * scan_frame_.width - frame_.width);
  const double shift_y = 0.5 * (reduction_ * scan_frame_.height - frame_.height);

  candidates_.clear();
  double highest = kNever;
  scan_(scan_map(), extent, [&](const LineScan::Parallels& parallels) {
    const double prior = ChordLine{parallels.flat, 0.0, parallels.slope}.log_prior();
    const float top = *std::max_element(parallels.sums.begin(), parallels.sums.end());
    highest = std::max(highest, static_cast<double>(top) + prior);
    const auto least = static_cast<float>(highest - kMargin - prior);
    if (top <= least) return;
    const double along = parallels.flat ? shift_x : shift_y;
    const double across = parallels.flat ? shift_y : shift_x;
    for (std::size_t i = 0; i < parallels.sums.size(); ++i) {
      if (parallels.sums[i] <= least) continue;
      const double offset = parallels.first_offset + static_cast<double>(i);
      const double at_full_size = reduction_ * offset + across + parallels.slope * along;
      candidates_.push_back({static_cast<double>(parallels.sums[i]) + prior,
                             parallels.log_cell + std::log(reduction_),
                             {parallels.flat, at_full_size, parallels.slope},
                             {parallels.flat, offset, parallels.slope}});
    }
  });
  std::erase_if(candidates_, [&](const Candidate& candidate) {
    return candidate.log_posterior <= highest - kMargin;
  });
  constexpr std::size_t kMost = 4000;
  const std::size_t kept = std::min(candidates_.size(), kMost);
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates_.end(), [](const Candidate& a, const Candidate& b) {
                      return a.log_posterior > b.log_posterior;
                    });
  candidates_.resize(kept);
}

MapRows LineEstimator::piece_of(const Candidate& candidate) const {
  const MapRows rows = scan_map().best_rows(candidate.scanned);
  return {reduction_ * rows.first,
          std::min(reduction_ * rows.last, map_.rows(candidate.line.flat))};
}

LineEstimator::Modes LineEstimator::find_modes(LineExtent extent) const {
  constexpr std::size_t kMost = 8;
  Modes modes{{}, kNever};
  modes.windows.reserve(kMost);
  for (const Candidate& candidate : candidates_) {
    if (!candidate.line.meets(half_sides(frame_, candidate.line.flat))) continue;
    if (std::any_of(modes.windows.begin(), modes.windows.end(), [&](const PosteriorWindow& window) {
          return window.near(candidate.line, reach());
        }))
      continue;
    if (modes.windows.size() < kMost) {
      std::optional<MapRows> piece;
      if (extent == LineExtent::kPiece) piece = piece_of(candidate);
      modes.windows.emplace_back(frame_, candidate.line, reach(), piece);
    } else {
      modes.log_rest = log_sum(modes.log_rest, candidate.log_posterior + candidate.log_cell);
    }
  }
  return modes;
}

LineEstimator::CountedLine LineEstimator::counted(const ChordLine& line,
                                                  const std::optional<MapRows>& piece) const {
  if (piece) return {line, *piece};
  const ChordLine steep = std::abs(line.slope) <= 1.0 ? line : line.transposed();
  return {steep, {0, steep.flat ? frame_.width : frame_.height}};
}

std::vector<float> LineEstimator::pixels_of(std::span<const float> pixels,
                                            const CountedLine& counted) const {
  const auto& [line, rows] = counted;
  const HalfSides half = half_sides(frame_, line.flat);
  const int columns = line.flat ? frame_.height : frame_.width;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(rows.last - rows.first));
  for (int row = rows.first; row < rows.last; ++row) {
    const int column =
        static_cast<int>(std::floor(line.offset - line.slope * (row - half.u) + half.v + 0.5));
    if (column < 0 || column >= columns) continue;
    values.push_back(pixels[line.flat ? frame_.index(row, column) : frame_.index(column, row)]);
  }
  return values;
}

void LineEstimator::settle(PosteriorWindow& window) const {
  window.evaluate(map_);
  while (window.step()) window.evaluate(map_);
}

// The ends of a piece are found best along the mode itself, which in turn depends on them, so both
// are fitted alternately.
void LineEstimator::fit_pieces(Modes& modes) const {
  constexpr int kMostRounds = 3;
  for (PosteriorWindow& window : modes.windows)
    for (int round = 0; round < kMostRounds; ++round) {
      const MapRows piece = map_.best_rows(window.mean());
      if (piece == window.piece() || piece.first == piece.last) break;
      window = PosteriorWindow(frame_, window.mean(), kReach, piece);
      settle(window);
    }
}

// Fits the windows to their modes and keeps those that count, the heaviest first.
void LineEstimator::refine(Modes& modes) const {
  auto& windows = modes.windows;
  const auto heaviest = [&] {
    double log_mass = kNever;
    for (const PosteriorWindow& window : windows) log_mass = std::max(log_mass, window.log_mass());
    return log_mass;
  };
  for (PosteriorWindow& window : windows) window.evaluate(map_);
  std::erase_if(windows, [least = heaviest() - kMargin](const PosteriorWindow& window) {
    return window.log_mass() < least;
  });
  double done = kNever;  // the largest log mass refined so far
  for (PosteriorWindow& window : windows) {
    while ((window.rounds() < 2 || window.log_mass() >= done - kMargin) && window.step())
      window.evaluate(map_);
    done = std::max(done, window.log_mass());
  }
  std::erase_if(windows, [least = heaviest() - kMargin](const PosteriorWindow& window) {
    return window.log_mass() < least;
  });
  std::stable_sort(windows.begin(), windows.end(),
                   [](const PosteriorWindow& a, const PosteriorWindow& b) {
                     return a.log_mass() > b.log_mass();
                   });
  // Drop windows that have moved onto a heavier one.
  std::vector<PosteriorWindow> apart;
  apart.reserve(windows.size());
  for (PosteriorWindow& window : windows)
    if (std::none_of(apart.begin(), apart.end(),
                     [&](const PosteriorWindow& heavier) { return heavier.holds(window.mean()); }))
      apart.push_back(std::move(window));
  windows = std::move(apart);
}

// Measures the width of the line by the evidence of the parallels next to it; a line wider than a
// pixel is refined again at that width. Returns the width.
int LineEstimator::fit_width(Modes& modes) {
  constexpr int kReachOfWidth = 7;
  constexpr double kGain = 8.0;  // a wider line must be clearly better
  const std::optional<MapRows> piece = modes.windows.front().piece();
  const auto [line, rows] = counted(modes.windows.front().mean(), piece);
  const auto evidence_beside = [&, line = line, rows = rows](int k) {
    return static_cast<double>(map_.sum({line.flat, line.offset + k, line.slope}, rows));
  };
  // Sums of 0, 1, 2, ... parallels to either side.
  std::vector<double> left{0.0};
  std::vector<double> right{0.0};
  for (int k = 1; k <= kReachOfWidth; ++k) {
    left.push_back(left.back() + evidence_beside(-k));
    right.push_back(right.back() + evidence_beside(k));
  }
  const auto most_left = std::max_element(left.begin(), left.end());
  const auto most_right = std::max_element(right.begin(), right.end());
  const double gain = *most_left + *most_right;
  const int first = -static_cast<int>(most_left - left.begin());
  const int last = static_cast<int>(most_right - right.begin());
  const int width = std::min(last - first + 1, EvidenceMap::kMargin / 2);
  if (width == 1 || gain < kGain) return 1;
  map_.widen(width);
  constexpr double kReachOnceWide = 2.0;
  const ChordLine middle{line.flat, line.offset + 0.5 * (first + last), line.slope};
  modes = {{{frame_, middle, kReachOnceWide, piece}}, kNever};
  refine(modes);
  return width;
}

LineEstimate LineEstimator::read_out(const Modes& modes) const {
  constexpr double kNegligible = 1e-6;
  const PosteriorWindow& first = modes.windows.front();

  // VSmax of the heaviest mode (Eq. 17).
  LineEmbedding mean{};
  first.for_each_cell([&](double column, double row, double weight) {
    if (weight < kNegligible) return;
    const PixelLine line = first.cell(column, row).polar();
    const LineEmbedding embedding = embedding_from_line(unit_from_pixel(line, frame_));
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += weight * embedding[k];
  });
  LineEstimate estimate;
  estimate.line = pixel_from_unit(line_from_embedding(mean).line, frame_);

  double total = std::exp(std::min(0.0, modes.log_rest - first.log_mass()));
  for (const PosteriorWindow& window : modes.windows)
    total += std::exp(window.log_mass() - first.log_mass());
  // All lines together have the measure 4 (h_x + h_y).
  estimate.log_odds = first.log_mass() + std::log(total) -
                      std::log(4.0 * (frame_.half_width() + frame_.half_height()));

  constexpr double kClose = 0.8;        // modes with a higher EA-score are nearly the same line
  constexpr double kLight = 1e-3;       // lighter modes are left out of the spread
  constexpr double kWithinCell = 0.27;  // a cell's weight is spread over four points inside
  std::vector<WeightedLine> lines;
  for (const PosteriorWindow& window : modes.windows) {
    const double mass = std::exp(window.log_mass() - first.log_mass());
    const double score_of_mean = ea_score(estimate.line, window.mean().polar(), frame_);
    const bool own = &window == &first;
    if (!own) estimate.expected_score += mass / total * score_of_mean;
    window.for_each_cell([&](double column, double row, double weight) {
      if (own && weight >= kNegligible)
        estimate.expected_score +=
            mass / total * weight *
            ea_score(estimate.line, window.cell(column, row).polar(), frame_);
      if (mass < kLight || weight * mass < 10.0 * kNegligible) return;
      for (const double x : {-kWithinCell, kWithinCell})
        for (const double y : {-kWithinCell, kWithinCell})
          lines.push_back({window.cell(column + x, row + y).polar(), 0.25 * weight * mass,
                           own || score_of_mean > kClose});
    });
  }
  estimate.spread = spread_around(estimate.line, lines);
  return estimate;
}

std::optional<LineEstimate> LineEstimator::estimate(std::span<const float> pixels,
                                                    const Hypothesis& hypothesis, Modes modes) {
  if (modes.windows.empty()) return std::nullopt;
  NoiseModel noise = hypothesis.noise;
  if (hypothesis.fit_level) {  // to the pixels of the strongest mode
    PosteriorWindow strongest = modes.windows.front();
    settle(strongest);
    const CountedLine line = counted(strongest.mean(), strongest.piece());
    noise.level = fit_level(noise, pixels_of(pixels, line), hypothesis.share);
    fill_map(pixels, noise, hypothesis.share);
  }
  refine(modes);
  if (hypothesis.extent == LineExtent::kPiece) {
    fit_pieces(modes);
    refine(modes);
  }
  const int width = fit_width(modes);
  LineEstimate found = read_out(modes);
  found.log_odds += hypothesis.log_prior;
  found.width = width;
  found.share = hypothesis.share;
  found.level = noise.level;
  return found;
}

bool LineEstimator::explains(const NoiseModel& noise, const LineEstimate& found,
                             std::span<const float> pixels) const {
  constexpr double kDeviations = 3.0;
  const std::vector<float> on_line = pixels_of(pixels, counted(chord_line(found.line), {}));
  NoiseModel fitted = noise;
  fitted.level = found.level;
  double sum = 0.0;
  for (const float value : on_line) sum += fitted.log_ratio(static_cast<double>(value));
  const auto count = static_cast<double>(on_line.size());
  const RatioOnLine expected = fitted.ratio_on_line();
  return sum >= count * expected.mean - kDeviations * std::sqrt(count) * expected.deviation;
}

// In the order in which they are tried: most lines are whole, and white if the image reaches white.
std::vector<LineEstimator::Hypothesis> LineEstimator::hypotheses_for(
    const NoiseModel& noise) const {
  constexpr double kLogUnusual = -6.0;
  constexpr double kLogFitted = -3.0;  // a fitted level also fits the noise
  // A piece may begin and end anywhere.
  const double log_piece = std::log(2.0) - 2.0 * std::log(std::max(frame_.width, frame_.height));
  const bool may_be_white = noise.clipped_high;
  NoiseModel white = noise;
  white.level = noise.high;
  std::vector<Hypothesis> hypotheses;
  if (may_be_white) hypotheses.push_back({white});
  hypotheses.push_back(
      {noise, true, LineExtent::kWhole, 1.0, may_be_white ? kLogUnusual : kLogFitted});
  const NoiseModel& usual = may_be_white ? white : noise;
  hypotheses.push_back({usual, !may_be_white, LineExtent::kPiece, 1.0, log_piece});
  for (const double share : {0.5, 0.25})
    hypotheses.push_back({usual, !may_be_white, LineExtent::kWhole, share, kLogUnusual});
  return hypotheses;
}

std::optional<LineEstimate> LineEstimator::operator()(std::span<const float> pixels) {
  const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
  if (*least == *greatest) return std::nullopt;
  constexpr double kSure = 8.0;   // odds of e^8 that there is a line
  constexpr double kSlack = 5.0;  // what a fitted level may add to the evidence of a candidate
  const NoiseModel noise = estimate_noise(pixels);
  std::optional<LineEstimate> best;
  double highest = kNever;  // of the candidates so far
  for (const Hypothesis& hypothesis : hypotheses_for(noise)) {
    fill_map(pixels, hypothesis.noise, hypothesis.share);
    find_candidates(hypothesis.extent);
    if (candidates_.empty()) continue;
    const double top = candidates_.front().log_posterior + hypothesis.log_prior;
    if (top < highest - (hypothesis.fit_level ? kSlack : 0.0)) continue;
    highest = std::max(highest, top);
    const std::optional<LineEstimate> found =
        estimate(pixels, hypothesis, find_modes(hypothesis.extent));
    if (!found || (best && found->log_odds <= best->log_odds)) continue;
    best = found;
    // The other hypotheses are tried only if this one leaves something unexplained.
    if (!hypothesis.fit_level && best->log_odds > kSure && explains(noise, *best, pixels)) break;
  }
  return best;
}

std::optional<LineEstimate> LineEstimator::near(std::span<const float> pixels, PixelLine line) {
  const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
  const ChordLine start = chord_line(line);
  if (*least == *greatest || !start.meets(half_sides(frame_, start.flat))) return std::nullopt;
  const Hypothesis hypothesis = hypotheses_for(estimate_noise(pixels)).front();
  fill_map(pixels, hypothesis.noise, hypothesis.share);
  return estimate(pixels, hypothesis, {{{frame_, start, kReach}}, kNever});
}

}  // namespace vsmax
