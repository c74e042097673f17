// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/noise_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

namespace vsmax {
namespace {

// log Phi(x), also far below zero, where Phi itself underflows.
double log_normal_cdf(double x) {
  constexpr double kFar = -30.0;
  if (x > kFar) return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2));
  return -0.5 * x * x - std::log(-x) - 0.5 * std::log(2.0 * std::numbers::pi);
}

// The inverse of Phi, by bisection: called a few times per image.
double normal_quantile(double probability) {
  double low = -8.0;
  double high = 8.0;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// The values of an image, counted.
class Histogram {
 public:
  explicit Histogram(std::span<const float> pixels) : counts_(kBins, 0), total_(pixels.size()) {
    const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
    low_ = static_cast<double>(*least);
    high_ = static_cast<double>(*greatest);
    const double scale = kBins / (high_ - low_);
    for (const float pixel : pixels) {
      const auto value = static_cast<double>(pixel);
      const auto bin = static_cast<std::size_t>((value - low_) * scale);
      ++counts_[std::min(bin, kBins - 1)];
      at_low_ += value <= low_ ? 1 : 0;
      at_high_ += value >= high_ ? 1 : 0;
    }
  }

  double low() const { return low_; }
  double high() const { return high_; }
  std::size_t at_low() const { return at_low_; }
  std::size_t at_high() const { return at_high_; }
  double share(std::size_t count) const {
    return static_cast<double>(count) / static_cast<double>(total_);
  }

  // The value below which this share of the pixels lies, linear within a bin.
  double quantile(double share) const {
    const double wanted = share * static_cast<double>(total_);
    double below = 0.0;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      const auto count = static_cast<double>(counts_[bin]);
      if (below + count >= wanted && count > 0.0)
        return low_ +
               (static_cast<double>(bin) + (wanted - below) / count) * (high_ - low_) / kBins;
      below += count;
    }
    return high_;
  }

 private:
  static constexpr std::size_t kBins = 4096;
  std::vector<std::uint32_t> counts_;
  std::size_t total_;
  double low_ = 0.0;
  double high_ = 0.0;
  std::size_t at_low_ = 0;
  std::size_t at_high_ = 0;
};

constexpr double kLeastSigma = 0.05;  // of the contrast; below that there is no doubt anyway
constexpr double kUpperQuartile = 0.6744897501960817;  // Phi^-1(0.75)

}  // namespace

double NoiseModel::log_ratio(double value) const {
  if (clipped_low && value <= low)
    return log_normal_cdf((low - level) / sigma) - log_normal_cdf((low - background) / sigma);
  if (clipped_high && value >= high)
    return log_normal_cdf((level - high) / sigma) - log_normal_cdf((background - high) / sigma);
  return (level - background) * (value - 0.5 * (level + background)) / (sigma * sigma);
}

RatioOnLine NoiseModel::ratio_on_line() const {
  // Integrates over the normal density, up to five deviations in steps of a sixteenth. Samples lie
  // in the middle of the steps, because clipping may begin at the level itself.
  constexpr int kSteps = 80;
  constexpr double kStep = 1.0 / 16.0;
  double weights = 0.0;
  double mean = 0.0;
  double square = 0.0;
  for (int i = -kSteps; i < kSteps; ++i) {
    const double z = (i + 0.5) * kStep;
    const double weight = std::exp(-0.5 * z * z);
    const double ratio = log_ratio(level + z * sigma);
    weights += weight;
    mean += weight * ratio;
    square += weight * ratio * ratio;
  }
  mean /= weights;
  return {mean, std::sqrt(std::max(0.0, square / weights - mean * mean))};
}

NoiseModel estimate_noise(std::span<const float> pixels) {
  const Histogram values(pixels);
  constexpr std::size_t kClipped = 16;  // more pixels than this at one end of the range: clipped
  NoiseModel noise;
  noise.low = values.low();
  noise.high = values.high();
  noise.clipped_low = values.at_low() > kClipped;
  noise.clipped_high = values.at_high() > kClipped;
  const double contrast = noise.high - noise.low;
  const double below = values.share(values.at_low());
  const double below_high = 1.0 - values.share(values.at_high());

  constexpr double kTwoValued = 0.02;
  if (below_high - below < kTwoValued) {  // no noise
    const bool dark_ground = values.at_low() > values.at_high();
    noise.background = dark_ground ? noise.low : noise.high;
    noise.level = dark_ground ? noise.high : noise.low;
    noise.sigma = kLeastSigma * contrast;
    noise.clipped_low = noise.clipped_high = true;
    return noise;
  }

  // Fit a normal distribution to two quantiles of the unclipped values, away from the clipped end.
  const bool mostly_low = noise.clipped_low && below > 0.3;
  const bool mostly_high = noise.clipped_high && below_high < 0.7;
  const double first = below + (mostly_low ? 0.15 : mostly_high ? 0.3 : 0.2) * (below_high - below);
  const double second = below + (mostly_low    ? 0.7
                                 : mostly_high ? 0.85
                                               : 0.8) *
                                    (below_high - below);
  const double at_first = values.quantile(first);
  const double at_second = values.quantile(second);
  noise.sigma = (at_second - at_first) / (normal_quantile(second) - normal_quantile(first));
  noise.background = at_first - normal_quantile(first) * noise.sigma;

  // A background that is black except for the noise: half of its pixels were clipped.
  constexpr double kBlack = 0.1;
  if (noise.clipped_low && std::abs(noise.background - noise.low) < kBlack * contrast) {
    noise.background = noise.low;
    noise.sigma = (values.quantile(0.75) - noise.low) / kUpperQuartile;
  }
  noise.sigma = std::max(noise.sigma, kLeastSigma * contrast);
  // Too high a level finds nothing where the line is faint; too low a one loses little.
  constexpr double kSafeLevel = 1.25;
  noise.level = noise.background + kSafeLevel * noise.sigma;
  return noise;
}

double with_gaps(double log_ratio, double share) {
  if (share == 1.0) return log_ratio;
  const double line = std::log(share) + log_ratio;
  const double gap = std::log1p(-share);
  return std::max(line, gap) + std::log1p(std::exp(-std::abs(line - gap)));
}

double fit_level(const NoiseModel& noise, std::span<const float> on_line, double share) {
  constexpr std::size_t kEnough = 8;
  if (on_line.size() < kEnough) return noise.level;
  const auto log_likelihood = [&](double level) {
    NoiseModel trial = noise;
    trial.level = level;
    double sum = 0.0;
    for (const float value : on_line)
      sum += with_gaps(trial.log_ratio(static_cast<double>(value)), share);
    return sum;
  };
  // On short chords a fitted level would follow the noise, so white is preferred: an image that
  // reaches white is likely to hold a white line.
  constexpr double kPreference = 6.0;
  double best = -std::numeric_limits<double>::infinity();
  double best_level = noise.level;
  if (noise.clipped_high && noise.high > noise.background) {
    best = log_likelihood(noise.high) + kPreference;
    best_level = noise.high;
  }
  constexpr int kLevels = 48;
  constexpr double kFinest = 1.0 / 32.0;  // of the contrast
  const double step = kFinest * (noise.high - noise.low);
  for (int i = 1; i <= kLevels; ++i) {
    const double level = noise.background + i * step;
    const double value = log_likelihood(level);
    if (value > best) {
      best = value;
      best_level = level;
    }
  }
  return std::max(best_level, noise.background + 0.5 * noise.sigma);
}

}  // namespace vsmax
