// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/evaluation.h"

#include <cmath>
#include <mutex>
#include <numbers>

#include "vsmax/base/parallel.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/score/ea_score.h"

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

namespace {

std::vector<PolarLine> choose_lines(const EvaluationOptions& options) {
  std::vector<PolarLine> lines;
  for (const Cell cell : options.grid.resolvable_cells()) lines.push_back(options.grid.line(cell));
  if (options.lines == LineSet::kGrid) return lines;
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i] = draw_continuous_line({options.seed, Split::kTest, 0, static_cast<std::uint32_t>(i)},
                                    options.grid.frame());
  return lines;
}

}  // namespace

Evaluation evaluate(const LineRecoverer& recoverer, double sigma, const EvaluationOptions& options,
                    const Progress& progress) {
  Evaluation result;
  result.lines = choose_lines(options);
  result.scores.resize(result.lines.size());
  const ImageFrame frame = options.grid.frame();

  struct Worker {
    LineRecoverer recoverer;
    GrayImage image;
  };
  const auto threads = static_cast<std::size_t>(resolve_threads(options.threads));
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i)
    workers.push_back({recoverer, GrayImage(frame.width, frame.height)});

  std::mutex progress_mutex;
  std::size_t done = 0;
  parallel_for(result.lines.size(), options.threads, [&](std::size_t i, std::size_t worker) {
    auto& [recover, image] = workers[worker];
    render_line(frame, result.lines[i], sigma,
                {options.seed, Split::kTest, 0, static_cast<std::uint32_t>(i)},
                image.pixels.data());
    const Recovery recovery = recover(image);
    result.scores[i] = recovery.lines.empty()
                           ? 0.0
                           : ea_score(recovery.lines.front().line, result.lines[i], frame);
    const std::lock_guard lock(progress_mutex);
    if (progress && !progress(++done, result.lines.size())) throw Interrupted{};
  });

  std::vector<double> seam;
  std::vector<double> interior;
  for (std::size_t i = 0; i < result.lines.size(); ++i)
    (on_seam(result.lines[i]) ? seam : interior).push_back(result.scores[i]);
  result.all = summarize(result.scores);
  result.seam = summarize(seam);
  result.interior = summarize(interior);
  return result;
}

}  // namespace vsmax
