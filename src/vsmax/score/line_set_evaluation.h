// SPDX-License-Identifier: Apache-2.0
// Scores of answers on labelled images with any number of lines: precision, recall and F at EA
// thresholds of 0.01, 0.02 ... 0.99, as the SEL data set is scored (docs/data.md).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "vsmax/recover/line_recoverer.h"
#include "vsmax/score/image_evaluation.h"

namespace vsmax {

inline constexpr std::size_t kThresholds = 99;

constexpr double threshold_at(std::size_t index) {
  return static_cast<double>(index + 1) / static_cast<double>(kThresholds + 1);
}
constexpr std::size_t threshold_index(int percent) { return static_cast<std::size_t>(percent) - 1; }

// Pairs of found and labelled lines, each line in at most one pair, as many as possible at every
// threshold. Of one image, or added up over many.
struct MatchCounts {
  std::size_t labelled = 0;
  std::size_t found = 0;
  std::array<std::size_t, kThresholds> matched{};

  MatchCounts& operator+=(const MatchCounts& other);

  // 0 if there is nothing to divide by. F = 2 matched / (found + labelled), except that an image in
  // which nothing is labelled and nothing found is right: 1.
  double precision(std::size_t threshold) const;
  double recall(std::size_t threshold) const;
  double f(std::size_t threshold) const;
  double mean_f() const;
};

MatchCounts match_lines(const Recovery& answer, std::span<const PixelLine> truth,
                        const ImageFrame& frame);

// The confidence and the EA-score of every found line, to see how well the first predicts the
// second: by falling confidence each takes the labelled line that it agrees with best, and 0 if
// none is left.
std::vector<LineScore> score_lines(const Recovery& answer, std::span<const PixelLine> truth,
                                   const ImageFrame& frame);

}  // namespace vsmax
