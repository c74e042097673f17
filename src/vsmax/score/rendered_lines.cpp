// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/rendered_lines.h"

#include <cstdint>
#include <mutex>
#include <utility>

#include "vsmax/base/parallel.h"
#include "vsmax/data/synthetic.h"

namespace vsmax {

std::vector<PolarLine> evaluation_lines(const EvaluationOptions& options) {
  std::vector<PolarLine> lines;
  for (const Cell cell : options.grid.resolvable_cells()) lines.push_back(options.grid.line(cell));
  if (options.lines == LineSet::kGrid) return lines;
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i] = draw_continuous_line({options.seed, Split::kTest, 0, static_cast<std::uint32_t>(i)},
                                    options.grid.frame());
  return lines;
}

void for_each_rendered_line(const std::vector<PolarLine>& lines, double sigma,
                            const EvaluationOptions& options, const Progress& progress,
                            const RenderedLineBody& body) {
  const ImageFrame frame = options.grid.frame();
  std::vector<GrayImage> images(static_cast<std::size_t>(resolve_threads(options.threads)),
                                GrayImage(frame.width, frame.height));
  std::mutex progress_mutex;
  std::size_t done = 0;
  parallel_for(lines.size(), options.threads, [&](std::size_t i, std::size_t worker) {
    GrayImage& image = images[worker];
    render_line(frame, lines[i], sigma,
                {options.seed, Split::kTest, 0, static_cast<std::uint32_t>(i)},
                image.pixels.data());
    body(image, i, worker);
    const std::lock_guard lock(progress_mutex);
    if (progress && !progress(++done, lines.size())) throw Interrupted{};
  });
}

Evaluation evaluation_from_scores(std::vector<PolarLine> lines, std::vector<double> scores) {
  Evaluation result;
  result.lines = std::move(lines);
  result.scores = std::move(scores);
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
