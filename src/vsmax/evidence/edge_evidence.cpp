// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/edge_evidence.h"

#include <algorithm>
#include <cmath>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

constexpr double kClearStep = 0.04;    // of the image's contrast
constexpr double kPeakOfStep = 0.625;  // the central difference at a step of 1, once smoothed

// The binomial filter of five taps, a Gaussian of standard deviation 1; `at(i)` for i in [-2, 2].
template <class At>
float binomial(const At& at) {
  return (at(-2) + at(2) + 4.0F * (at(-1) + at(1)) + 6.0F * at(0)) / 16.0F;
}

// The pixels along the borders whose gradients depend on replicated border pixels; fewer are left
// out in a tiny image.
int margin_of(const ImageFrame& frame) {
  return std::clamp(std::min(frame.width, frame.height) / 8, 1, 3);
}

}  // namespace

ImageFrame EdgeEvidence::working_frame(const ImageFrame& image) {
  const double shrink =
      std::max(1.0, static_cast<double>(std::max(image.width, image.height)) / kLongestSide);
  return {std::max(2, static_cast<int>(std::lround(image.width / shrink))),
          std::max(2, static_cast<int>(std::lround(image.height / shrink)))};
}

void EdgeEvidence::smooth(const ImageFrame& frame) {
  half_smoothed_.resize(frame.pixels());
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      half_smoothed_[frame.index(x, y)] = binomial(
          [&](int i) { return smoothed_[frame.index(std::clamp(x + i, 0, frame.width - 1), y)]; });
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      smoothed_[frame.index(x, y)] = binomial([&](int i) {
        return half_smoothed_[frame.index(x, std::clamp(y + i, 0, frame.height - 1))];
      });
}

Evidence EdgeEvidence::operator()(const ImageView& image) {
  const Evidence whole = convert_(image, std::nullopt);
  const ImageFrame frame = working_frame(whole.frame);
  if (frame == whole.frame)
    smoothed_.assign(whole.pixels.begin(), whole.pixels.end());
  else
    average_(whole.pixels, whole.frame, frame, smoothed_);
  smooth(frame);

  gradients_.assign(frame.pixels(), {});
  strengths_.assign(frame.pixels(), 0.0F);
  const int margin = margin_of(frame);
  double sum = 0.0;
  for (int y = margin; y < frame.height - margin; ++y)
    for (int x = margin; x < frame.width - margin; ++x) {
      const std::size_t i = frame.index(x, y);
      const auto below = static_cast<std::size_t>(frame.width);
      gradients_[i] = {smoothed_[i + 1] - smoothed_[i - 1],
                       smoothed_[i + below] - smoothed_[i - below]};
      strengths_[i] = std::hypot(gradients_[i].x, gradients_[i].y);
      sum += static_cast<double>(strengths_[i]);
    }
  if (!std::isfinite(sum))
    throw Error("the image's values are so large that their differences overflow");
  const double mean = sum / static_cast<double>(frame.pixels());
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    if (strengths_[i] == 0.0F) continue;
    const double scale = 1.0 / (static_cast<double>(strengths_[i]) + mean);
    for (float* value : {&gradients_[i].x, &gradients_[i].y, &strengths_[i]})
      *value = static_cast<float>(scale * static_cast<double>(*value));
  }
  const auto [darkest, brightest] = std::minmax_element(whole.pixels.begin(), whole.pixels.end());
  const double clear = kClearStep * kPeakOfStep * (static_cast<double>(*brightest) - *darkest);
  return {frame,
          strengths_,
          strengths_,
          {static_cast<double>(frame.width) / whole.frame.width,
           static_cast<double>(frame.height) / whole.frame.height, 0.0, 0.0},
          gradients_,
          static_cast<float>(clear > 0.0 ? clear / (clear + mean) : 0.0)};
}

}  // namespace vsmax
