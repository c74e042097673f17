// SPDX-License-Identifier: Apache-2.0
#include "draw/explain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "draw/explain_page.h"
#include "draw/explain_text.h"
#include "draw/line_picture.h"
#include "draw/strip_plot.h"
#include "draw/theme.h"
#include "draw/zoom_inset.h"
#include "vsmax/base/error.h"

namespace vsmax::drawing {

namespace {

constexpr int kSide = ExplainPage::kSide;
constexpr int kLeastShortSide = kSide / 8;  // thinner images are stretched to be seen at all

int shown_side(int side, const GrayImage& image) {
  const double factor = static_cast<double>(kSide) / std::max(image.width, image.height);
  return static_cast<int>(std::lround(factor * side));
}

// The image's place in its panel: as large as fits, in the middle.
Rect fit_in_panel(const GrayImage& image, const Rect& panel) {
  const int width = std::max(shown_side(image.width, image), kLeastShortSide);
  const int height = std::max(shown_side(image.height, image), kLeastShortSide);
  return {panel.x + (kSide - width) / 2, panel.y + (kSide - height) / 2, width, height};
}

void mount_picture(ExplainPage& page, int number, const Canvas& picture, const Rect& place) {
  const Rect panel = page.panel(number);
  page.canvas().fill(panel, kMount);
  page.canvas().outline({panel.x - 1, panel.y - 1, kSide + 2, kSide + 2}, kFrame);
  page.canvas().paste(picture, place.x, place.y);
}

void mount_plot(ExplainPage& page, int number, const Canvas& plot, const HoughGrid& grid) {
  const Rect panel = page.panel(number);
  page.canvas().paste(plot, panel.x, panel.y);
  draw_axes(page.canvas(), panel, grid);
}

// Shades that tell counts apart: the mean is brought to about a third of the scale by a power law,
// since a clean image's few peaks would else leave the rest black, and noise leave it all bright.
std::vector<float> count_shades(const std::vector<float>& counts) {
  constexpr double kShadeOfMean = 0.3;
  std::vector<float> shades(counts.size(), 0.0F);
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  if (!(most > 0.0)) return shades;
  const double mean =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  const double ratio = std::clamp(mean / most, 1e-6, 0.99);
  const double power = std::clamp(std::log(kShadeOfMean) / std::log(ratio), 0.35, 2.0);
  std::transform(counts.begin(), counts.end(), shades.begin(), [&](float count) {
    return static_cast<float>(std::pow(std::max(static_cast<double>(count), 0.0) / most, power));
  });
  return shades;
}

// Six powers of ten below the largest: the softmax of a clear line leaves less than that elsewhere.
std::vector<float> probability_shades(const std::vector<float>& probabilities) {
  constexpr double kDecades = 6.0;
  std::vector<float> shades(probabilities.size(), 0.0F);
  const double largest =
      static_cast<double>(*std::max_element(probabilities.begin(), probabilities.end()));
  std::transform(probabilities.begin(), probabilities.end(), shades.begin(), [&](float value) {
    const double ratio = static_cast<double>(value) / largest;
    return ratio > 0.0 ? static_cast<float>(std::max(0.0, 1.0 + std::log10(ratio) / kDecades))
                       : 0.0F;
  });
  return shades;
}

Cell largest_cell(const HoughGrid& grid, const std::vector<float>& values) {
  const auto index = std::max_element(values.begin(), values.end()) - values.begin();
  return {static_cast<int>(index / grid.rhos()), static_cast<int>(index % grid.rhos())};
}

void draw_image_panel(ExplainPage& page, const GrayImage& image) {
  const Rect place = fit_in_panel(image, page.panel(1));
  mount_picture(page, 1, gray_picture(image, place.width, place.height), place);
  page.headline(1, "image");
  const bool stretched = shown_side(image.width, image) < place.width ||
                         shown_side(image.height, image) < place.height;
  page.caption(1, image_caption(image, stretched));
}

// line: where to set the ring, null for nowhere; the same below.
void draw_accumulator_panel(ExplainPage& page, const GrayImage& image, const RecoveryTrace& trace,
                            const PixelLine* line) {
  const HoughGrid& grid = *trace.grid;
  Canvas plot = strip_picture(grid, count_shades(trace.accumulator), kSide);
  draw_reach(plot, grid);
  if (line != nullptr) ring_line(plot, grid, *line);
  mount_plot(page, 2, plot, grid);
  page.headline(2, "accumulator");
  page.caption(2, accumulator_caption(image, grid.frame()));
}

void draw_distribution_panel(ExplainPage& page, const RecoveryTrace& trace, const PixelLine* line) {
  const HoughGrid& grid = *trace.grid;
  const std::vector<float>& values = trace.probabilities;
  const Distribution kind = distribution_of(trace);
  const bool scores = kind == Distribution::kScores;
  const std::vector<float> shades = scores ? count_shades(values) : probability_shades(values);

  Canvas plot = strip_picture(grid, shades, kSide);
  draw_reach(plot, grid);
  if (line != nullptr) ring_line(plot, grid, *line);
  if (kind != Distribution::kNone) {
    const double largest = static_cast<double>(*std::max_element(values.begin(), values.end()));
    draw_zoom_inset(plot, grid, shades, largest_cell(grid, values), line,
                    scores ? "peak" : "peak " + percent_text(largest));
  }
  mount_plot(page, 3, plot, grid);
  if (kind == Distribution::kNone) page.badge(3, "nothing");
  page.headline(3, scores ? "score" : "probability");
  page.caption(3, distribution_caption(kind));
}

void mark_end(Canvas& canvas, Point center) {
  canvas.disc(center, 6.5, kHaloColor);
  canvas.disc(center, 5.0, kWhite);
  canvas.disc(center, 3.2, kLineColor);
}

void draw_line_panel(ExplainPage& page, const GrayImage& image, const Recovery& recovery,
                     Distribution kind) {
  const Rect place = fit_in_panel(image, page.panel(4));
  const ImageFrame frame{image.width, image.height};
  Canvas picture = gray_picture(image, place.width, place.height);
  draw_lines(picture, frame, recovery);
  mount_picture(page, 4, picture, place);
  for (const RecoveredLine& found : recovery.lines) {
    if (!found.visible) continue;
    for (const auto& end : {found.visible->begin, found.visible->end}) {
      const Point at = position_in_picture(frame, place.width, place.height, end);
      mark_end(page.canvas(), {place.x + at.x, place.y + at.y});
    }
  }
  if (recovery.lines.empty())
    page.badge(4, "no line");
  else if (!recovery.lines.front().visible)
    page.badge(4, "the line lies outside the image");
  page.headline(4, "line");
  page.caption(4, line_caption(recovery, kind));
}

}  // namespace

RgbImage draw_explanation(const GrayImage& image, const Recovery& recovery,
                          const RecoveryTrace& trace, const std::string& title) {
  if (!trace.grid || trace.accumulator.size() != trace.grid->cells() ||
      trace.probabilities.size() != trace.grid->cells())
    throw Error("to explain a recovery its trace is needed, but the trace given is empty");
  const PixelLine* line = recovery.lines.empty() ? nullptr : &trace.line;
  ExplainPage page(title);
  draw_image_panel(page, image);
  draw_accumulator_panel(page, image, trace, line);
  draw_distribution_panel(page, trace, line);
  draw_line_panel(page, image, recovery, distribution_of(trace));
  return std::move(page).take();
}

}  // namespace vsmax::drawing
