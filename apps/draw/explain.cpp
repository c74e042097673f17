// SPDX-License-Identifier: Apache-2.0
#include "draw/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "draw/captions.h"
#include "draw/line_colors.h"
#include "draw/overlay.h"
#include "draw/strip_plot.h"
#include "draw/svg.h"
#include "vsmax/base/error.h"
#include "vsmax/evidence/area_average.h"

namespace vsmax::drawing {
namespace {

constexpr int kPictureSide = 512;  // pixels of the embedded image, for high-resolution displays

constexpr const char* kStyle = R"(<style>
.paper { fill: #fcfcfa }
text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #1c2028 }
.title { font-size: 20px; font-weight: 600 }
.headline { font-size: 18px; font-weight: 600 }
.number { fill: #f0401f }
.caption { fill: #4b5361 }
.tick { font-size: 12px; fill: #4b5361; text-anchor: middle }
.rho { text-anchor: end }
.badge { text-anchor: middle }
.result { text-anchor: middle; font-weight: 600 }
.rule, .ticks { fill: none; stroke: #b0b6be }
.mount { fill: #eeeff0; stroke: #b0b6be }
.curve { fill: none; stroke: #fff; stroke-opacity: .5 }
.halo { fill: none; stroke: #0c0c10; stroke-opacity: .55; stroke-width: 4 }
.ring, .line { fill: none; stroke: #ff4e32; stroke-width: 2 }
.inset { fill: none; stroke: #fff; stroke-width: 1.5 }
.dot { fill: #ff4e32; stroke: #0c0c10; stroke-width: 1.5 }
.end { fill: #ff4e32; stroke: #fff; stroke-width: 2 }
.end-halo { fill: #0c0c10 }
.seam { fill: none; stroke: #0c0c10; stroke-width: 1.5 }
.dashes { stroke: #fff; stroke-dasharray: 4 }
.arrow, .arrow-halo { fill: none; stroke: #fff; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round }
.arrow-halo { stroke: #0c0c10; stroke-width: 4.2 }
</style>
)";

// As many characters as fit in any font; continuation bytes of UTF-8 do not count.
std::string cut_title(const std::string& title) {
  constexpr int kMostCharacters = 64;
  int characters = 0;
  for (std::size_t i = 0; i < title.size(); ++i)
    if ((static_cast<unsigned char>(title[i]) & 0xC0U) != 0x80U && characters++ == kMostCharacters)
      return title.substr(0, i) + "…";
  return title;
}

// number: 1 to 4. The content has its origin at the panel's top left corner.
std::string panel_svg(std::size_t number, const char* headline, const Lines& caption,
                      const std::string& content) {
  constexpr std::array<int, 4> kLeft{24, 340, 656, 936};
  std::string svg = fmt::format(
      "<g class='panel' transform='translate({} 156)'>\n<text class='headline' y='-70'>"
      "<tspan class='number'>{}</tspan><tspan dx='8'>{}</tspan></text>\n",
      kLeft[number - 1], number, headline);
  int y = -48;
  for (const std::string& line : caption) {
    svg += fmt::format("<text class='caption' y='{}'>{}</text>\n", y, xml_text(line));
    y += 18;
  }
  return svg + content + "</g>\n";
}

// A band across the middle of a panel.
std::string badge_svg(const char* text) {
  return fmt::format(
      "<rect class='paper' y='102' width='240' height='36'/>"
      "<text class='badge' x='120' y='125'>{}</text>\n",
      text);
}

// The image's place in its panel: centred, as large as fits; very thin images are stretched.
struct Place {
  double x = 0.0;  // in the panel
  double y = 0.0;
  double width = kPanelSide;
  double height = kPanelSide;
  bool stretched = false;
};

Place place_of(const GrayImage& image) {
  constexpr double kLeastSide = kPanelSide / 8.0;
  const double factor = kPanelSide / std::max(image.width, image.height);
  const double width = std::max(factor * image.width, kLeastSide);
  const double height = std::max(factor * image.height, kLeastSide);
  const bool stretched = factor * std::min(image.width, image.height) < kLeastSide;
  return {0.5 * (kPanelSide - width), 0.5 * (kPanelSide - height), width, height, stretched};
}

constexpr const char* kMountedImage =
    "<rect class='mount' width='240' height='240'/><use href='#image'/>\n";

// Coordinates are relative to the picture's top left corner.
std::string line_svg(const RecoveredLine& found, std::size_t rank, const ImageFrame& frame,
                     const Place& place) {
  const auto at = [&](std::array<double, 2> point) {
    return position_in_picture(frame, place.width, place.height, point);
  };
  const Segment line = beyond_edges(found.line, *found.visible, frame);
  const auto [x1, y1] = at(line.begin);
  const auto [x2, y2] = at(line.end);
  // A nested svg element clips what it contains.
  std::string svg =
      fmt::format("<svg width='{:.2f}' height='{:.2f}'>\n", place.width, place.height);
  const std::string path = fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}", x1, y1, x2, y2);
  svg += fmt::format("<path class='halo' d='{0}'/>\n<path class='line' d='{0}'{1}/>\n", path,
                     color_style("stroke", rank));
  svg += "</svg>\n";
  for (const auto& end : {found.visible->begin, found.visible->end})
    svg += fmt::format(
        "<circle class='end-halo' cx='{0:.2f}' cy='{1:.2f}' r='6'/>\n"
        "<circle class='end' cx='{0:.2f}' cy='{1:.2f}' r='4'{2}/>\n",
        at(end).x, at(end).y, color_style("fill", rank));
  return svg;
}

std::string line_panel_svg(const GrayImage& image, const Recovery& recovery, const Place& place) {
  std::string svg = kMountedImage;
  svg += fmt::format("<g transform='translate({:g} {:g})'>\n", place.x, place.y);
  for (std::size_t rank = recovery.lines.size(); rank-- > 0;)  // the first lies on top
    if (recovery.lines[rank].visible)
      svg += line_svg(recovery.lines[rank], rank, {image.width, image.height}, place);
  svg += "</g>\n";
  if (recovery.lines.empty()) return svg + badge_svg("no line");
  if (!recovery.lines.front().visible) svg += badge_svg("outside the image");
  int y = 262;
  for (const std::string& text : describe(recovery)) {
    svg += fmt::format("<text class='result' x='120' y='{}'>{}</text>\n", y, text);
    y += 19;
  }
  return svg;
}

std::string distribution_panel_svg(const RecoveryTrace& trace, Distribution kind) {
  const std::vector<float>& values = trace.probabilities;
  const auto largest = std::max_element(values.begin(), values.end());
  const int index = static_cast<int>(largest - values.begin());
  const Cell peak{index / trace.grid->rhos(), index % trace.grid->rhos()};
  const bool scores = kind == Distribution::kScores;
  const bool none = kind == Distribution::kNone;
  const auto shades = scores || none ? count_shades(values) : probability_shades(values);
  return panel_svg(
      3, scores ? "Score" : "Probability",
      distribution_caption(kind, static_cast<double>(*largest)),
      strip_panel_svg({*trace.grid, shades, trace.lines, none ? nullptr : &peak, trace.reduction}) +
          (none ? badge_svg("no contrast") : ""));
}

// For screen readers.
std::string description(const Recovery& recovery) {
  std::string text =
      "Four panels from left to right: the image, its Hough accumulator, the probability of every "
      "line, and the image with what was recovered.";
  if (recovery.lines.empty()) return text + " No line was found.";
  for (const std::string& words : describe(recovery)) text += " " + words + ".";
  return text;
}

}  // namespace

std::string explanation_svg(const GrayImage& image, const Recovery& recovery,
                            const RecoveryTrace& trace, const std::string& title) {
  if (!trace.grid || trace.accumulator.size() != trace.grid->cells() ||
      trace.probabilities.size() != trace.grid->cells())
    throw Error("an explanation needs the trace of the recovery, but the trace is empty");
  const Distribution kind = distribution_of(trace);
  const Place place = place_of(image);
  const ImageFrame size = display_size(image.frame(), kPictureSide, kPictureSide);
  return fmt::format(
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1200 452' width='1200'"
             " height='452' role='img' aria-labelledby='title description'>\n"
             "<title id='title'>{}</title>\n<desc id='description'>{}</desc>\n{}"
             "<rect class='paper' width='1200' height='452'/>\n"
             "<text class='title' x='24' y='36'>{}</text>\n"
             "<path class='rule' d='M24 52.5H1176'/>\n"
             "<defs><image id='image' x='{:g}' y='{:g}' width='{:g}' height='{:g}'"
             " preserveAspectRatio='none' href='{}'/></defs>\n",
             xml_text(title), description(recovery), kStyle, xml_text(cut_title(title)), place.x,
             place.y, place.width, place.height, data_uri(encode_png(area_average(image, size)))) +
         panel_svg(1, "Image", image_caption(image, place.stretched), kMountedImage) +
         panel_svg(2, "Accumulator", accumulator_caption(image, trace.grid->frame()),
                   strip_panel_svg({*trace.grid, count_shades(trace.accumulator), trace.lines,
                                    nullptr, trace.reduction})) +
         distribution_panel_svg(trace, kind) +
         panel_svg(4, recovery.lines.size() > 1 ? "Lines" : "Line", line_caption(recovery, kind),
                   line_panel_svg(image, recovery, place)) +
         "</svg>\n";
}

}  // namespace vsmax::drawing
