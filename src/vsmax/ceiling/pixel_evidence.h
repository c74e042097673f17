// SPDX-License-Identifier: Apache-2.0
// What one pixel says of a line through it, the noise being known: the log-likelihood ratio of a
// white pixel against a black one after Eq. 29 (Eq. 31).
#pragma once

namespace vsmax {

class PixelEvidence {
 public:
  // From here down a pixel leaves no doubt (odds of e^200), and the ratio soon has no number:
  // smaller deviations, 0 too, are taken as this one.
  static constexpr double kLeastSigma = 0.05;

  // Throws Error unless sigma is finite and not negative.
  explicit PixelEvidence(double sigma);

  double operator()(float value) const {
    if (value <= 0.0F) return at_black_;
    if (value >= 1.0F) return -at_black_;
    return (static_cast<double>(value) - 0.5) * slope_;
  }

 private:
  double at_black_;
  double slope_;
};

}  // namespace vsmax
