// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/ridge_refinement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "vsmax/geometry/parabola.h"

namespace vsmax {
namespace {

// One profile per pixel of the line, within these limits; fewer where the reach is wide, so that no
// filter adds up more responses than this.
constexpr std::size_t kFewestProfiles = 64;
constexpr std::size_t kMostProfiles = 1024;
constexpr std::size_t kMostCompared = 2'000'000;

// Standard deviations of the filters, in pixels: for lines of about one, three and six pixels.
constexpr std::array<double, 3> kWidths{0.8, 1.6, 3.2};
constexpr double kFilterReach = 3.5;  // in those deviations

constexpr double kCoarse = 0.5;     // pixels between samples, when the ridge is looked for
constexpr double kFine = 0.25;      // and when it is located
constexpr double kFineReach = 1.5;  // pixels

// The highest of the thousands of lines that are compared is 4 to 4.5 deviations high by chance.
constexpr double kClear = 6.0;

std::size_t samples(double reach, double step) {
  return 2 * static_cast<std::size_t>(std::ceil(reach / step)) + 1;
}

// The negative second derivative of a Gaussian, which sums up to 0; its squares sum up to 1.
std::vector<float> ridge_filter(double width, double step) {
  const auto half = static_cast<std::ptrdiff_t>(std::ceil(kFilterReach * width / step));
  std::vector<double> taps;
  double sum = 0.0;
  for (std::ptrdiff_t k = -half; k <= half; ++k) {
    const double x = static_cast<double>(k) * step / width;
    taps.push_back((1.0 - x * x) * std::exp(-0.5 * x * x));
    sum += taps.back();
  }
  double squares = 0.0;
  for (double& tap : taps) {
    tap -= sum / static_cast<double>(taps.size());
    squares += tap * tap;
  }
  std::vector<float> filter(taps.size());
  std::transform(taps.begin(), taps.end(), filter.begin(),
                 [squares](double tap) { return static_cast<float>(tap / std::sqrt(squares)); });
  return filter;
}

float median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

PixelLine RidgeRefinement::operator()(const ImageView& image, PixelLine line, bool dark,
                                      double reach) {
  const auto visible = visible_segment(line, image.frame());
  if (!visible) return line;
  const AcrossLine across(line, *visible);
  // A piece that is hardly longer than the profiles says little about the angle.
  if (across.half_length() < 2.0 * reach) return line;
  const std::size_t count = samples(reach, kCoarse);
  places_ =
      std::clamp(static_cast<std::size_t>(2.0 * across.half_length()), kFewestProfiles,
                 std::clamp(2 * kMostCompared / (count * count), kFewestProfiles, kMostProfiles));

  const Scale widest{kCoarse, reach, kWidths.back()};
  sample_profiles(image, across, dark, widest);
  std::optional<Ridge> best;
  double width = 0.0;
  for (const double each : kWidths) {
    const Scale scale{kCoarse, reach, each};
    filter_profiles(scale);
    const auto ridge = highest_ridge(scale);
    if (!ridge || (best && ridge->height <= best->height)) continue;
    best = ridge;
    width = each;
  }
  if (!best || best->height < kClear) return line;
  const PixelLine found = across.line(best->shift, best->slope);
  const auto seen = visible_segment(found, image.frame());
  if (!seen) return line;

  const AcrossLine nearer(found, *seen);
  const Scale fine{kFine, kFineReach, width};
  sample_profiles(image, nearer, dark, fine);
  filter_profiles(fine);
  const auto ridge = highest_ridge(fine);
  const PixelLine refined = ridge ? nearer.line(ridge->shift, ridge->slope) : found;
  return visible_segment(refined, image.frame()) ? refined : line;
}

void RidgeRefinement::sample_profiles(const ImageView& image, const AcrossLine& across, bool dark,
                                      Scale widest) {
  const double room = std::ceil(kFilterReach * widest.width / widest.step) * widest.step;
  const std::size_t count = samples(widest.reach + room, widest.step);
  path_.resize(count);
  profiles_.resize(places_ * count);
  const double first = -0.5 * static_cast<double>(count - 1) * widest.step;
  const std::array<double, 2> step{widest.step * across.normal()[0],
                                   widest.step * across.normal()[1]};
  const double sign = dark ? -1.0 : 1.0;
  for (std::size_t place = 0; place < places_; ++place) {
    image.sample_path(across.point(along(place, places_), first), step, path_);
    std::transform(path_.begin(), path_.end(),
                   profiles_.begin() + static_cast<std::ptrdiff_t>(place * count),
                   [sign](double value) { return static_cast<float>(sign * value); });
  }
}

void RidgeRefinement::filter_profiles(Scale scale) {
  const std::vector<float> filter = ridge_filter(scale.width, scale.step);
  const std::size_t count = samples(scale.reach, scale.step);
  const std::size_t sampled = profiles_.size() / places_;
  const std::size_t skip = (sampled - count - (filter.size() - 1)) / 2;
  responses_.assign(places_ * count, 0.0F);
  for (std::size_t place = 0; place < places_; ++place) {
    const float* profile = profiles_.data() + place * sampled + skip;
    float* response = responses_.data() + place * count;
    for (std::size_t k = 0; k < filter.size(); ++k)
      for (std::size_t i = 0; i < count; ++i) response[i] += filter[k] * profile[i + k];
  }
  // Bright spots must not outweigh a line: no place counts for more than most of a line's do.
  magnitudes_.resize(responses_.size());
  std::transform(responses_.begin(), responses_.end(), magnitudes_.begin(),
                 [](float response) { return std::abs(response); });
  const float noise = 1.4826F * median(magnitudes_);
  magnitudes_.resize(places_);
  for (std::size_t place = 0; place < places_; ++place) {
    const auto begin = responses_.begin() + static_cast<std::ptrdiff_t>(place * count);
    magnitudes_[place] = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  const float limit = std::max(3.0F * noise, median(magnitudes_));
  for (float& response : responses_) response = std::clamp(response, -limit, limit);
}

std::optional<RidgeRefinement::Ridge> RidgeRefinement::highest_ridge(Scale scale) {
  const std::size_t count = samples(scale.reach, scale.step);
  const auto size = static_cast<std::ptrdiff_t>(count);
  const std::ptrdiff_t middle = size / 2;
  double squares = 0.0;
  for (const float response : responses_) squares += static_cast<double>(response * response);
  const double chance = std::sqrt(squares / static_cast<double>(count));  // of a sum over places
  if (!(chance > 0.0)) return std::nullopt;

  heights_.assign(count * count, std::numeric_limits<float>::lowest());
  sums_.resize(count);
  for (std::ptrdiff_t slope = -middle; slope <= middle; ++slope) {
    // Only shifts for which both ends of the line stay within reach.
    const std::ptrdiff_t room = middle - std::abs(slope);
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    for (std::size_t place = 0; place < places_; ++place) {
      const double off = static_cast<double>(slope) * along(place, places_);
      const double whole = std::floor(off);
      const auto fraction = static_cast<float>(off - whole);
      const float* response =
          responses_.data() + place * count + middle + static_cast<std::ptrdiff_t>(whole);
      for (std::ptrdiff_t shift = -room; shift <= room; ++shift) {
        const float next = fraction > 0.0F ? response[shift + 1] : 0.0F;
        sums_[static_cast<std::size_t>(shift + middle)] +=
            response[shift] + fraction * (next - response[shift]);
      }
    }
    std::copy(sums_.begin() + middle - room, sums_.begin() + middle + room + 1,
              heights_.begin() + (slope + middle) * size + middle - room);
  }

  const auto peak = std::max_element(heights_.begin(), heights_.end()) - heights_.begin();
  const std::ptrdiff_t slope = peak / size - middle;
  const std::ptrdiff_t shift = peak % size - middle;
  // At the border of what is compared, the maximum may lie beyond.
  if (std::abs(slope) + std::abs(shift) + 1 >= middle) return std::nullopt;
  const float* height = heights_.data() + peak;
  return Ridge{
      scale.step * (static_cast<double>(shift) + vertex(height[-1], height[0], height[1])),
      scale.step * (static_cast<double>(slope) + vertex(height[-size], height[0], height[size])),
      static_cast<double>(*height) / chance};
}

}  // namespace vsmax
