// SPDX-License-Identifier: Apache-2.0
// Whitening (Eq. 11): after it every cell has mean 0 and variance 1 on an image of independent
// noise, so that the short lines of the corners are not buried under the long ones of the middle.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "vsmax/hough/hough.h"

namespace vsmax {

struct ImageStatistics {
  double mean = 0.0;
  double deviation = 0.0;  // of the population
};

ImageStatistics image_statistics(const float* pixels, std::size_t count);

class Whitening {
 public:
  // Cells that fewer pixels vote for carry no evidence: z = 0.
  static constexpr std::uint32_t kLeastPixels = 8;

  explicit Whitening(const HoughTransform& hough);

  // z = (A - mean n) / (deviation sqrt(n)), in place. Needs deviation > 0.
  void apply(const ImageStatistics& statistics, float* accumulator) const;

 private:
  std::vector<float> counts_;
  std::vector<float> inverse_roots_;  // 1 / sqrt(n), or 0 for cells without evidence
};

}  // namespace vsmax
