// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/whiten.h"

#include <cmath>

namespace vsmax {

namespace {

// The sum of term(pixel) over all pixels, in several sums that do not wait for one another.
template <class Term>
double sum_over(const float* pixels, std::size_t count, const Term& term) {
  constexpr std::size_t kSums = 16;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += term(static_cast<double>(pixels[i + s]));
  for (; i < count; ++i) sums[0] += term(static_cast<double>(pixels[i]));
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

bool is_constant(const float* pixels, std::size_t count) {
  unsigned others = 0;
  for (std::size_t i = 0; i < count; ++i) others |= pixels[i] == pixels[0] ? 0U : 1U;
  return others == 0;
}

}  // namespace

ImageStatistics image_statistics(const float* pixels, std::size_t count) {
  // Two passes: the one-pass formula would give a constant image a deviation that is not zero.
  const auto n = static_cast<double>(count);
  const double mean = sum_over(pixels, count, [](double pixel) { return pixel; }) / n;
  if (is_constant(pixels, count)) return {mean, 0.0};
  const double squares =
      sum_over(pixels, count, [=](double pixel) { return (pixel - mean) * (pixel - mean); });
  return {mean, std::sqrt(squares / n)};
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
