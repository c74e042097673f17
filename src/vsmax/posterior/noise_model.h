// SPDX-License-Identifier: Apache-2.0
// What a pixel says about a line through it: the log-likelihood ratio of its value on the line
// versus off it, in Gaussian noise that is clipped to the image's range (Eq. 29, 31).
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

// Estimates from the image itself (Eq. 50) the range, whether it was clipped, and the noise,
// ignoring the line because it has few pixels. The level is a first guess, low enough to be safe.
// The pixels must not all be equal.
NoiseModel estimate_noise(std::span<const float> pixels);

// The log-likelihood ratio if a pixel of the line shows it only with probability `share`, and the
// background otherwise.
double with_gaps(double log_ratio, double share);

// The most likely level of a line with these pixels, of which `share` show it; white if that
// explains them nearly as well.
double fit_level(const NoiseModel& noise, std::span<const float> on_line, double share);

}  // namespace vsmax
