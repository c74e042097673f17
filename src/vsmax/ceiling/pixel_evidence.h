// SPDX-License-Identifier: Apache-2.0
// What one pixel says about a line through it when the noise is known: the log-likelihood ratio of
// white against black under the noise model of Eq. 29 (Eq. 31).
#pragma once

namespace vsmax {

class PixelEvidence {
 public:
  // Smaller standard deviations, including 0, are replaced by this one: here a single pixel already
  // leaves no doubt (odds of e^200), and for much smaller ones the ratio overflows.
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
