// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/edge_refinement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "vsmax/geometry/parabola.h"

namespace vsmax {
namespace {

constexpr std::size_t kPlaces = 256;  // along the visible part of the line
constexpr int kSteps = 2;             // samples per unit
constexpr int kFilter = 6;            // the filter's reach in samples: three deviations of one unit
constexpr int kWideReach = 12;        // at first, in units
constexpr int kNarrowReach = 6;       // once the line is near the edge

// If the line would move farther, it has found a different edge.
constexpr double kLargestShift = 6.0;  // units
constexpr double kLargestTurn = 1.5 * std::numbers::pi / 180.0;

// A place agrees with the line if its edge point lies closer than this, in units.
constexpr double kClose = 1.5;

std::size_t samples(int reach) { return 2 * kSteps * static_cast<std::size_t>(reach) + 1; }

double offset_of(double sample, int reach) { return sample / kSteps - reach; }

double gaussian(double x, double deviation) {
  return std::exp(-0.5 * (x / deviation) * (x / deviation));
}

// The derivative of a Gaussian with a deviation of one unit, for 1, 2, ... samples off its centre.
std::array<double, kFilter> derivative_filter() {
  std::array<double, kFilter> taps{};
  for (std::size_t k = 0; k < kFilter; ++k) {
    const auto x = static_cast<double>(k + 1);
    taps[k] = x * gaussian(x, kSteps);
  }
  return taps;
}

// The offset a + b u of an edge from the line, in units, at u = along(place, kPlaces).
struct EdgeFit {
  double a = 0.0;
  double b = 0.0;
  double residual(std::size_t place, double offset) const {
    return offset - a - b * along(place, kPlaces);
  }
};

// One round of reweighted least squares with Tukey's biweight (Eq. 43): points farther than
// `cutoff` from `last` do not count.
std::optional<EdgeFit> fit_round(const EdgeFit& last, double cutoff,
                                 const std::vector<double>& offsets,
                                 const std::vector<double>& weights) {
  double w = 0.0;
  double wu = 0.0;
  double wuu = 0.0;
  double wy = 0.0;
  double wuy = 0.0;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const double u = along(i, kPlaces);
    const double ratio = last.residual(i, offsets[i]) / cutoff;
    const double inside = std::max(0.0, 1.0 - ratio * ratio);
    const double weight = weights[i] * inside * inside;
    w += weight;
    wu += weight * u;
    wuu += weight * u * u;
    wy += weight * offsets[i];
    wuy += weight * u * offsets[i];
  }
  const double determinant = w * wuu - wu * wu;
  if (!(determinant > 0.0)) return std::nullopt;
  return EdgeFit{(wuu * wy - wu * wuy) / determinant, (w * wuy - wu * wy) / determinant};
}

}  // namespace

PixelLine EdgeRefinement::operator()(const ImageView& image, PixelLine line, double reduction,
                                     double least_agreement) {
  const double coarsest = std::max(1.0, 0.5 * reduction);
  PixelLine refined = line;
  const auto improve = [&](const Scale& scale) {
    const auto fitted = fit(image, refined, scale, least_agreement);
    if (fitted) refined = *fitted;
    return fitted.has_value();
  };
  if (!improve({coarsest, kWideReach})) return line;
  // Halve the unit for as long as most of the edge can be followed.
  for (double unit = coarsest; improve({unit, kNarrowReach}) && unit > 1.0;)
    unit = std::max(1.0, 0.5 * unit);

  const auto before = visible_segment(line, image.frame())->midpoint();
  const double shift =
      before[0] * std::cos(refined.theta) + before[1] * std::sin(refined.theta) - refined.rho;
  const bool near = std::abs(shift) <= kLargestShift * coarsest &&
                    angle_between(line.theta, refined.theta) <= kLargestTurn;
  return near && visible_segment(refined, image.frame()) ? refined : line;
}

std::optional<PixelLine> EdgeRefinement::fit(const ImageView& image, PixelLine line, Scale scale,
                                             double least_agreement) {
  const auto visible = visible_segment(line, image.frame());
  if (!visible) return std::nullopt;
  const AcrossLine across(line, *visible);
  // A piece less than twice as long as the profiles are wide says little about the angle.
  if (across.half_length() < 2.0 * scale.reach * scale.unit) return std::nullopt;
  differentiate_profiles(image, across, scale);
  if (!find_edge_points(scale.reach, least_agreement)) return std::nullopt;

  EdgeFit edge;
  double spread = scale.reach / 6.0;
  for (int round = 0; round < 6; ++round, spread *= 0.7) {
    const auto next = fit_round(edge, 4.0 * std::max(1.0, spread), offsets_, weights_);
    if (!next) return std::nullopt;
    edge = *next;
  }
  std::size_t agree = 0;
  for (std::size_t i = 0; i < kPlaces; ++i)
    if (std::abs(edge.residual(i, offsets_[i])) < kClose) ++agree;
  if (static_cast<double>(agree) < least_agreement * kPlaces) return std::nullopt;

  return across.line(edge.a * scale.unit, edge.b * scale.unit);
}

void EdgeRefinement::differentiate_profiles(const ImageView& image, const AcrossLine& across,
                                            Scale scale) {
  static const std::array<double, kFilter> filter = derivative_filter();
  const std::size_t count = samples(scale.reach);
  profile_.resize(count + 2 * kFilter);
  responses_.resize(kPlaces * count);
  const double unit = scale.unit / kSteps;
  const std::array<double, 2> step{unit * across.normal()[0], unit * across.normal()[1]};
  const double first = -0.5 * static_cast<double>(profile_.size() - 1) * unit;
  double* response = responses_.data();
  for (std::size_t place = 0; place < kPlaces; ++place) {
    image.sample_path(across.point(along(place, kPlaces), first), step, profile_);
    for (std::size_t i = 0; i < count; ++i) {
      const double* centre = profile_.data() + i + kFilter;
      double sum = 0.0;
      for (std::ptrdiff_t k = 1; k <= kFilter; ++k)
        sum += filter[static_cast<std::size_t>(k - 1)] * (centre[k] - centre[-k]);
      *response++ = sum;
    }
  }
}

double EdgeRefinement::polarity(int reach) const {
  const std::size_t count = samples(reach);
  double strongest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0.0;
    for (std::size_t place = 0; place < kPlaces; ++place) sum += responses_[place * count + i];
    sum *= gaussian(offset_of(static_cast<double>(i), reach), reach / 2.0);
    if (std::abs(sum) > std::abs(strongest)) strongest = sum;
  }
  return strongest < 0.0 ? -1.0 : 1.0;
}

bool EdgeRefinement::find_edge_points(int reach, double least_agreement) {
  const std::size_t count = samples(reach);
  const double sign = polarity(reach);
  window_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    window_[i] = sign * gaussian(offset_of(static_cast<double>(i), reach), reach / 1.5);

  offsets_.resize(kPlaces);
  weights_.resize(kPlaces);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    double* response = responses_.data() + place * count;
    for (std::size_t i = 0; i < count; ++i) response[i] = std::max(0.0, response[i] * window_[i]);
    const auto peak =
        std::clamp<std::ptrdiff_t>(std::max_element(response, response + count) - response, 1,
                                   static_cast<std::ptrdiff_t>(count) - 2);
    const double fraction = vertex(response[peak - 1], response[peak], response[peak + 1]);
    offsets_[place] = offset_of(static_cast<double>(peak) + fraction, reach);
    weights_[place] = response[peak];
  }

  sorted_ = weights_;
  // That of half the places or, where fewer need to agree, of a higher quantile.
  const auto usual =
      sorted_.begin() + static_cast<std::ptrdiff_t>((1.0 - least_agreement) * kPlaces);
  std::nth_element(sorted_.begin(), usual, sorted_.end());
  if (!(*usual > 0.0)) return false;
  for (double& weight : weights_) weight = std::min(weight / *usual, 2.0);  // no place dominates
  return true;
}

}  // namespace vsmax
