// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "vsmax/recover/batch_recoverer.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax {

ScoreSummary summarize(const std::vector<double>& scores) {
  ScoreSummary summary;
  summary.count = scores.size();
  if (scores.empty()) return summary;
  for (const double score : scores) summary.mean += score;
  summary.mean /= static_cast<double>(scores.size());
  for (const double score : scores)
    summary.deviation += (score - summary.mean) * (score - summary.mean);
  summary.deviation = std::sqrt(summary.deviation / static_cast<double>(scores.size()));
  return summary;
}

bool on_seam(PixelLine line) {
  // The paper's bins 0 to 4 and 122 to 126 of 127, each bin centred at its angle.
  const double bin = canonical(line).theta / std::numbers::pi * 127.0;
  return bin < 4.5 || bin >= 121.5;
}

Evaluation evaluate(const Model& model, double sigma, const EvaluationOptions& options,
                    const Progress& progress) {
  const RenderedLines lines(options, sigma);
  BatchRecoverer batch(model, options.threads);
  std::vector<GrayImage> images(batch.workers());
  std::vector<LineScore> judged(lines.count());
  std::vector<std::optional<Coverage>> covered(lines.count());
  ProgressCounter counter(progress, lines.count());
  batch.for_each(lines.count(), [&](std::size_t i, std::size_t worker, LineRecoverer& recover) {
    const Recovery answer = recover(lines.render(i, images[worker]));
    judged[i] = score_line(answer, lines.line(i), lines.frame());
    if (!answer.lines.empty()) covered[i] = coverage_of(answer.lines.front(), lines.line(i));
    counter.advance();
  });
  std::vector<double> scores(judged.size());
  std::transform(judged.begin(), judged.end(), scores.begin(),
                 [](const LineScore& score) { return score.ea; });
  Evaluation result = lines.evaluation(std::move(scores));
  result.reliability = reliability_of(judged, covered);
  return result;
}

}  // namespace vsmax
