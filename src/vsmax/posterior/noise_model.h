// SPDX-License-Identifier: Apache-2.0
// What a pixel says about a line through it: the logarithm of how likely its value is on a line,
// against off it, in Gaussian noise that is clipped to the image's range (Eq. 29, 31).
#pragma once

#include <span>

namespace vsmax {

// Mean and standard deviation of the log-likelihood ratio of a pixel on the line.
struct RatioOnLine {
  double mean = 0.0;
  double deviation = 0.0;
};

struct NoiseModel {
  double background = 0.0;  // the mean value off the line, before clipping
  double level = 1.0;       // the mean value on it
  double sigma = 0.05;
  double low = 0.0;  // the range of the image
  double high = 1.0;
  bool clipped_low = true;  // whether values beyond the range were clipped to it
  bool clipped_high = true;

  double log_ratio(double value) const;
  RatioOnLine ratio_on_line() const;
};

// From the image itself (Eq. 50): the range, whether it was clipped, and the noise, all of it as if
// there were no line, which has few pixels. The level is a first guess, low enough to be safe. The
// pixels must not all be equal.
NoiseModel estimate_noise(std::span<const float> pixels);

// The log-likelihood ratio if a pixel of the line shows it with probability `share` only, and the
// background otherwise.
double with_gaps(double log_ratio, double share);

// The most likely level of a line with these pixels, `share` of which show it; white where that
// explains them nearly as well.
double fit_level(const NoiseModel& noise, std::span<const float> on_line, double share);

}  // namespace vsmax
