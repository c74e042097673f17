// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/evaluation.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "vsmax/base/parallel.h"
#include "vsmax/score/ea_score.h"
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

bool on_seam(PolarLine line) {
  // The paper's bins 0..4 and 122..126 of 127, each bin centred at its angle.
  const double bin = canonical(line).theta / std::numbers::pi * 127.0;
  return bin < 4.5 || bin >= 121.5;
}

Evaluation evaluate(const LineRecoverer& recoverer, double sigma, const EvaluationOptions& options,
                    const Progress& progress) {
  auto lines = evaluation_lines(options);
  std::vector<double> scores(lines.size());
  const ImageFrame frame = options.grid.frame();
  std::vector<LineRecoverer> recoverers(static_cast<std::size_t>(resolve_threads(options.threads)),
                                        recoverer);
  for_each_rendered_line(lines, sigma, options, progress,
                         [&](const GrayImage& image, std::size_t i, std::size_t worker) {
                           const auto found = recoverers[worker](image).lines;
                           scores[i] =
                               found.empty() ? 0.0 : ea_score(found.front().line, lines[i], frame);
                         });
  return evaluation_from_scores(std::move(lines), std::move(scores));
}

}  // namespace vsmax
