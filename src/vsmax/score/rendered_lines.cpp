// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/rendered_lines.h"

#include <cstdint>
#include <utility>

#include "vsmax/data/synthetic.h"

namespace vsmax {

RenderedLines::RenderedLines(const EvaluationOptions& options, double sigma)
    : options_(options), sigma_(sigma) {
  for (const Cell cell : options.grid.resolvable_cells()) lines_.push_back(options.grid.line(cell));
  if (options.lines == LineSet::kGrid) return;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    lines_[i] = draw_continuous_line({options.seed, Split::kTest, 0, static_cast<std::uint32_t>(i)},
                                     frame());
}

const GrayImage& RenderedLines::render(std::size_t index, GrayImage& image) const {
  if (!(image.frame() == frame())) image = GrayImage(frame());
  render_line(frame(), lines_[index], sigma_,
              {options_.seed, Split::kTest, 0, static_cast<std::uint32_t>(index)}, image.pixels);
  return image;
}

Evaluation RenderedLines::evaluation(std::vector<double> scores) const {
  std::vector<double> seam;
  std::vector<double> interior;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    (on_seam(lines_[i]) ? seam : interior).push_back(scores[i]);
  Evaluation result{lines_, std::move(scores), {}, summarize(seam), summarize(interior)};
  result.all = summarize(result.scores);
  return result;
}

void ProgressCounter::advance() {
  if (!progress_) return;
  const std::lock_guard lock(mutex_);
  if (!progress_(++done_, total_)) throw Interrupted{};
}

}  // namespace vsmax
