// SPDX-License-Identifier: Apache-2.0
// Whitening (Eq. 11): gives every cell mean 0 and variance 1 on an image of independent noise, so
// that the short lines in the corners are not buried under the long ones in the middle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vsmax/base/host_device.h"
#include "vsmax/hough/hough.h"

namespace vsmax {

struct ImageStatistics {
  double mean = 0.0;
  double deviation = 0.0;  // of the population
};

ImageStatistics image_statistics(std::span<const float> pixels);

// The standard score z = (A - mean n) / (deviation sqrt(n)) of a cell's votes A from n pixels (Eq.
// 11), for host and device. In double, because the reciprocal of a very faint image's deviation may
// overflow a float.
VSMAX_HOST_DEVICE inline double standard_score(double votes, double pixels, double inverse_root,
                                               double mean, double inverse_deviation) {
  return (votes - mean * pixels) * inverse_root * inverse_deviation;
}

// max(z, 0)^2 / 2: the log-likelihood ratio of a line against none (Eq. 24).
VSMAX_HOST_DEVICE inline float log_likelihood_ratio(float score) {
  const float excess = score > 0.0F ? score : 0.0F;
  return 0.5F * excess * excess;
}

class Whitening {
 public:
  // Cells that fewer pixels vote for carry no evidence: z = 0.
  static constexpr std::uint32_t kLeastPixels = 8;

  explicit Whitening(const HoughTransform& hough);

  // The standard scores of an accumulator, in place. Needs deviation > 0.
  void apply(const ImageStatistics& statistics, Cells<float> accumulator) const;

 private:
  std::vector<float> counts_;
  std::vector<float> inverse_roots_;  // 1 / sqrt(n), or 0 for cells without evidence
};

// The same for signed votes (Eq. 40): |A| / sqrt(B + mean B), where B is the sum of a cell's
// squared votes. sqrt(B) is the standard deviation that A would have if the signs were random; the
// mean over all cells holds down cells with few votes.
void score_signed_votes(std::span<const float> votes, std::span<const float> squares,
                        std::span<float> scores);

}  // namespace vsmax
