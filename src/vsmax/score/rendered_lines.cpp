// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/rendered_lines.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "vsmax/data/synthetic.h"

namespace vsmax {

RenderedLines::RenderedLines(const EvaluationOptions& options, double sigma)
    : options_(options), sigma_(sigma) {
  const std::vector<Cell> cells = options.grid.resolvable_cells();
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int t = cells[i].t;
    if (options.near_seam == 0 || std::min(t, options.grid.thetas() - t) <= options.near_seam)
      wanted.push_back(i);
  }
  const std::size_t all = wanted.size();
  const std::size_t count = options.sample == 0 ? all : std::min(options.sample, all);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = wanted[i * all / count];
    indices_.push_back(static_cast<std::uint32_t>(place));
    lines_.push_back(options.lines == LineSet::kGrid ? options.grid.line(cells[place])
                                                     : draw_continuous_line(key(i), frame()));
  }
}

SampleKey RenderedLines::key(std::size_t index) const {
  return {options_.seed, Split::kTest, 0, indices_[index]};
}

const GrayImage& RenderedLines::render(std::size_t index, GrayImage& image) const {
  if (!(image.frame() == frame())) image = GrayImage(frame());
  render_line(frame(), lines_[index], sigma_, key(index), image.pixels, options_.stroke);
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

std::size_t available_lines(EvaluationOptions options) {
  options.sample = 0;
  return RenderedLines(options, 0.0).count();
}

void ProgressCounter::advance() {
  if (!progress_) return;
  const std::lock_guard lock(mutex_);
  if (!progress_(++done_, total_)) throw Interrupted{};
}

}  // namespace vsmax
