// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/line_set_evaluation.h"

#include <algorithm>

#include "vsmax/geometry/ea_score.h"
#include "vsmax/score/assignment.h"

namespace vsmax {
namespace {

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

MatchCounts& MatchCounts::operator+=(const MatchCounts& other) {
  labelled += other.labelled;
  found += other.found;
  blanks += other.blanks;
  alarms += other.alarms;
  for (std::size_t i = 0; i < kThresholds; ++i) matched[i] += other.matched[i];
  return *this;
}

double MatchCounts::precision(std::size_t threshold) const {
  return ratio(matched[threshold], found);
}
double MatchCounts::recall(std::size_t threshold) const {
  return ratio(matched[threshold], labelled);
}
double MatchCounts::f(std::size_t threshold) const {
  return found + labelled == 0 ? 1.0 : ratio(2 * matched[threshold], found + labelled);
}
double MatchCounts::mean_f() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < kThresholds; ++i) sum += f(i);
  return sum / static_cast<double>(kThresholds);
}

MatchCounts match_lines(const Recovery& answer, std::span<const PixelLine> truth,
                        const ImageFrame& frame) {
  ScoreMatrix matrix{answer.lines.size(), truth.size(), {}};
  for (const RecoveredLine& found : answer.lines)
    for (const PixelLine line : truth) matrix.scores.push_back(ea_score(found.line, line, frame));
  MatchCounts counts;
  counts.labelled = truth.size();
  counts.found = answer.lines.size();
  counts.blanks = truth.empty() ? 1 : 0;
  counts.alarms = truth.empty() && !answer.lines.empty() ? 1 : 0;
  for (std::size_t i = 0; i < kThresholds; ++i)
    counts.matched[i] = matched_pairs(matrix, threshold_at(i));
  return counts;
}

std::vector<LineScore> score_lines(const Recovery& answer, std::span<const PixelLine> truth,
                                   const ImageFrame& frame) {
  std::vector<PixelLine> free(truth.begin(), truth.end());
  std::vector<LineScore> scores;
  for (const RecoveredLine& found : answer.lines) {
    LineScore& score = scores.emplace_back();
    score.confidence = found.confidence;
    const auto agreement = [&](PixelLine line) { return ea_score(found.line, line, frame); };
    const auto best = std::max_element(free.begin(), free.end(), [&](PixelLine a, PixelLine b) {
      return agreement(a) < agreement(b);
    });
    if (best == free.end()) continue;
    score.ea = agreement(*best);
    if (score.ea > 0.0) free.erase(best);
  }
  return scores;
}

}  // namespace vsmax
