// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/whiten.h"

#include <cmath>

namespace vsmax {

ImageStatistics image_statistics(const float* pixels, std::size_t count) {
  // Two passes: the one-pass formula would give a constant image a deviation that is not zero.
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(pixels[i]);
  const double mean = sum / static_cast<double>(count);
  double squares = 0.0;
  bool constant = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(pixels[i]) - mean;
    squares += d * d;
    constant = constant && pixels[i] == pixels[0];
  }
  return {mean, constant ? 0.0 : std::sqrt(squares / static_cast<double>(count))};
}

Whitening::Whitening(const HoughTransform& hough) {
  const auto counts = hough.pixel_counts();
  counts_.reserve(counts.size());
  inverse_roots_.reserve(counts.size());
  for (const std::uint32_t n : counts) {
    counts_.push_back(static_cast<float>(n));
    inverse_roots_.push_back(n < kLeastPixels ? 0.0F : 1.0F / std::sqrt(static_cast<float>(n)));
  }
}

void Whitening::apply(const ImageStatistics& statistics, float* accumulator) const {
  // In double: the reciprocal of a very faint image's deviation does not fit a float.
  const double scale = 1.0 / statistics.deviation;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double excess =
        static_cast<double>(accumulator[i]) - statistics.mean * static_cast<double>(counts_[i]);
    accumulator[i] = static_cast<float>(excess * static_cast<double>(inverse_roots_[i]) * scale);
  }
}

}  // namespace vsmax
