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

// The largest possible number of pairs of a found and a labelled line at every threshold, each line
// in at most one pair. For one image, or summed over many.
struct MatchCounts {
  std::size_t labelled = 0;
  std::size_t found = 0;
  std::size_t blanks = 0;  // images without a labelled line
  std::size_t alarms = 0;  // those of them in which a line was found
  std::array<std::size_t, kThresholds> matched{};

  MatchCounts& operator+=(const MatchCounts& other);

  // Precision and recall are 0 if they would divide by 0. F = 2 matched / (found + labelled), and 1
  // if nothing is labelled and nothing found.
  double precision(std::size_t threshold) const;
  double recall(std::size_t threshold) const;
  double f(std::size_t threshold) const;
  double mean_f() const;
};

MatchCounts match_lines(const Recovery& answer, std::span<const PixelLine> truth,
                        const ImageFrame& frame);

// The confidence and the EA-score of every found line, to see how well the first predicts the
// second. In order of falling confidence, each line takes the labelled line that it agrees with
// best, of those still free; it scores 0 if none is.
std::vector<LineScore> score_lines(const Recovery& answer, std::span<const PixelLine> truth,
                                   const ImageFrame& frame);

}  // namespace vsmax
