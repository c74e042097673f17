// SPDX-License-Identifier: Apache-2.0
#include "vsmax/refine/whiten.h"

#include <cassert>
#include <cmath>

namespace vsmax {
namespace {

// The sum of term(pixel) over all pixels, as several independent sums that the processor overlaps.
template <class Term>
double sum_over(std::span<const float> pixels, const Term& term) {
  constexpr std::size_t kSums = 16;
  double sums[kSums] = {};
  const std::size_t count = pixels.size();
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += term(static_cast<double>(pixels[i + s]));
  for (; i < count; ++i) sums[0] += term(static_cast<double>(pixels[i]));
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

// Looks at every pixel, so that the loop vectorises.
bool is_constant(std::span<const float> pixels) {
  unsigned others = 0;
  for (const float pixel : pixels) others |= pixel == pixels[0] ? 0U : 1U;
  return others == 0;
}

}  // namespace

ImageStatistics image_statistics(std::span<const float> pixels) {
  // Two passes: the one-pass formula would give a constant image a nonzero deviation.
  const auto n = static_cast<double>(pixels.size());
  const double mean = sum_over(pixels, [](double pixel) { return pixel; }) / n;
  if (is_constant(pixels)) return {mean, 0.0};
  const double squares =
      sum_over(pixels, [=](double pixel) { return (pixel - mean) * (pixel - mean); });
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

void Whitening::apply(const ImageStatistics& statistics, Cells<float> accumulator) const {
  const double inverse_deviation = 1.0 / statistics.deviation;
  float* values = accumulator.data();
  for (std::size_t i = 0; i < counts_.size(); ++i)
    values[i] = static_cast<float>(
        standard_score(static_cast<double>(values[i]), static_cast<double>(counts_[i]),
                       static_cast<double>(inverse_roots_[i]), statistics.mean, inverse_deviation));
}

void score_signed_votes(std::span<const float> votes, std::span<const float> squares,
                        std::span<float> scores) {
  assert(votes.size() == squares.size() && votes.size() == scores.size());
  const auto mean = static_cast<float>(sum_over(squares, [](double square) { return square; }) /
                                       static_cast<double>(squares.size()));
  for (std::size_t i = 0; i < votes.size(); ++i)
    scores[i] = votes[i] == 0.0F ? 0.0F : std::abs(votes[i]) / std::sqrt(squares[i] + mean);
}

}  // namespace vsmax
