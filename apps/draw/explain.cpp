// SPDX-License-Identifier: Apache-2.0
#include "draw/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "draw/captions.h"
#include "draw/overlay.h"
#include "draw/strip_panel.h"
#include "draw/strip_plot.h"
#include "draw/svg.h"
#include "vsmax/base/error.h"
#include "vsmax/evidence/area_average.h"

namespace vsmax::drawing {

namespace {

constexpr double kSide = kPanelSide;
constexpr int kPictureSide = 512;  // pixels of the embedded image, for high-resolution displays
constexpr double kWidth = 1200.0;
constexpr double kHeight = 452.0;
constexpr double kMargin = 24.0;
constexpr double kTop = 156.0;  // of the panels
constexpr std::array<double, 4> kLeft{kMargin, 340.0, 656.0, 936.0};

constexpr const char* kStyle = R"(<style>
text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #1c2028 }
.title { font-size: 20px; font-weight: 600 }
.headline { font-size: 18px; font-weight: 600 }
.number { fill: #f0401f }
.caption { fill: #4b5361 }
.tick { font-size: 12px; fill: #4b5361; text-anchor: middle }
.rho { text-anchor: end }
.result, .badge { text-anchor: middle }
.result { font-weight: 600 }
.rule, .frame, .ticks { fill: none; stroke: #b0b6be }
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

std::string text_svg(const char* kind, double x, double y, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{:g}\" y=\"{:g}\">{}</text>\n", kind, x, y,
                     xml_text(text));
}

// As many characters as fit in any font; continuation bytes of UTF-8 do not count.
std::string cut_title(const std::string& title) {
  constexpr int kMostCharacters = 64;
  int characters = 0;
  for (std::size_t i = 0; i < title.size(); ++i)
    if ((static_cast<unsigned char>(title[i]) & 0xC0U) != 0x80U && characters++ == kMostCharacters)
      return title.substr(0, i) + "…";
  return title;
}

// number: 1 to 4.
std::string heading_svg(std::size_t number, const std::string& headline, const Lines& caption) {
  const double x = kLeft[number - 1];
  std::string svg = fmt::format(
      "<text class=\"headline\" x=\"{:g}\" y=\"86\"><tspan class=\"number\">{}</tspan>"
      "<tspan dx=\"8\">{}</tspan></text>\n",
      x, number, headline);
  double y = 108.0;
  for (const std::string& line : caption) {
    svg += text_svg("caption", x, y, line);
    y += 18.0;
  }
  return svg;
}

// A band across the middle of panel `number`.
std::string badge_svg(std::size_t number, const std::string& text) {
  const double x = kLeft[number - 1];
  const double middle = kTop + 0.5 * kSide;
  return fmt::format(
             "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"36\" fill=\"#fcfcfa\"/>\n", x,
             middle - 18.0, kSide) +
         text_svg("badge", x + 0.5 * kSide, middle + 5.0, text);
}

// The image's place in its panel: as large as fits, in the middle; thin images are stretched.
struct Place {
  double x = 0.0;  // in the panel
  double y = 0.0;
  double width = kSide;
  double height = kSide;
  bool stretched = false;
};

Place place_of(const GrayImage& image) {
  constexpr double kLeastSide = kSide / 8.0;
  const double factor = kSide / std::max(image.width, image.height);
  Place place;
  place.stretched = factor * std::min(image.width, image.height) < kLeastSide;
  place.width = std::max(factor * image.width, kLeastSide);
  place.height = std::max(factor * image.height, kLeastSide);
  place.x = 0.5 * (kSide - place.width);
  place.y = 0.5 * (kSide - place.height);
  return place;
}

// The image itself, in the first panel and again by reference in the fourth.
std::string image_svg(const GrayImage& image, const Place& place) {
  const ImageFrame size = display_size(image, kPictureSide, kPictureSide);
  return fmt::format(
      "<defs><image id=\"image\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\""
      " preserveAspectRatio=\"none\" href=\"{}\"/></defs>\n",
      place.x, place.y, place.width, place.height,
      data_uri(encode_png(area_average(image, size.width, size.height))));
}

std::string mounted_image_svg(std::size_t number) {
  const double x = kLeft[number - 1];
  return fmt::format(
      "<rect class=\"frame\" x=\"{0:g}\" y=\"{1:g}\" width=\"{2:g}\" height=\"{2:g}\""
      " style=\"fill:#eeeff0\"/>\n<use href=\"#image\" x=\"{0:g}\" y=\"{1:g}\"/>\n",
      x, kTop, kSide);
}

// In coordinates of the picture's top left corner.
std::string line_svg(const RecoveredLine& found, const ImageFrame& frame, const Place& place) {
  const auto at = [&](std::array<double, 2> point) {
    return position_in_picture(frame, place.width, place.height, point);
  };
  const Segment line = beyond_edges(found.line, *found.visible, frame);
  const auto [x1, y1] = at(line.begin);
  const auto [x2, y2] = at(line.end);
  // A nested svg element clips what it contains.
  std::string svg =
      fmt::format("<svg width=\"{:.2f}\" height=\"{:.2f}\">\n", place.width, place.height);
  for (const char* kind : {"halo", "line"})
    svg += fmt::format("<path class=\"{}\" d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\"/>\n", kind, x1, y1,
                       x2, y2);
  svg += "</svg>\n";
  for (const auto& end : {found.visible->begin, found.visible->end})
    for (const auto& [kind, radius] : {std::pair{"end-halo", 6.0}, {"end", 4.0}})
      svg += fmt::format("<circle class=\"{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\"/>\n", kind,
                         at(end).x, at(end).y, radius);
  return svg;
}

std::string line_panel_svg(const GrayImage& image, const Recovery& recovery, const Place& place) {
  std::string svg = mounted_image_svg(4);
  svg +=
      fmt::format("<g transform=\"translate({:g} {:g})\">\n", kLeft[3] + place.x, kTop + place.y);
  for (const RecoveredLine& found : recovery.lines)
    if (found.visible) svg += line_svg(found, {image.width, image.height}, place);
  svg += "</g>\n";
  if (recovery.lines.empty())
    svg += badge_svg(4, "no line");
  else if (!recovery.lines.front().visible)
    svg += badge_svg(4, "outside the image");
  double y = kTop + kSide + 22.0;
  for (const std::string& text : describe(recovery)) {
    svg += text_svg("result", kLeft[3] + 0.5 * kSide, y, text);
    y += 18.0;
  }
  return svg;
}

std::string distribution_panel_svg(const RecoveryTrace& trace, const PolarLine* line,
                                   Distribution kind) {
  const std::vector<float>& values = trace.probabilities;
  const auto largest = std::max_element(values.begin(), values.end());
  const int index = static_cast<int>(largest - values.begin());
  const Cell peak{index / trace.grid->rhos(), index % trace.grid->rhos()};
  const bool scores = kind == Distribution::kScores;
  const bool none = kind == Distribution::kNone;
  return heading_svg(3, scores ? "Score" : "Probability",
                     distribution_caption(kind, static_cast<double>(*largest))) +
         strip_panel_svg({*trace.grid, scores ? count_shades(values) : probability_shades(values),
                          line, none ? nullptr : &peak},
                         kLeft[2], kTop) +
         (none ? badge_svg(3, "no contrast") : "");
}

std::string description(const Recovery& recovery) {
  std::string result = "No line was found.";
  if (!recovery.lines.empty()) {
    const Lines words = describe(recovery);
    result = "The line has " + words[0] + ", " + words[1] + ".";
  }
  return "Four panels from left to right: the image, its Hough accumulator, the probability of "
         "every "
         "line, and the image with the recovered line. " +
         result;
}

}  // namespace

std::string explanation_svg(const GrayImage& image, const Recovery& recovery,
                            const RecoveryTrace& trace, const std::string& title) {
  if (!trace.grid || trace.accumulator.size() != trace.grid->cells() ||
      trace.probabilities.size() != trace.grid->cells())
    throw Error("an explanation needs the trace of the recovery, but the trace is empty");
  const PolarLine* line = recovery.lines.empty() ? nullptr : &trace.line;
  const Distribution kind = distribution_of(trace);
  const Place place = place_of(image);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\""
      " height=\"{1:g}\" role=\"img\" aria-labelledby=\"title description\">\n"
      "<title id=\"title\">{2}</title>\n<desc id=\"description\">{3}</desc>\n",
      kWidth, kHeight, xml_text(title), xml_text(description(recovery)));
  svg += kStyle;
  svg += fmt::format("<rect width=\"{:g}\" height=\"{:g}\" fill=\"#fcfcfa\"/>\n", kWidth, kHeight);
  svg += text_svg("title", kMargin, 36.0, cut_title(title));
  svg += fmt::format("<path class=\"rule\" d=\"M{:g} 52.5H{:g}\"/>\n", kMargin, kWidth - kMargin);
  svg += image_svg(image, place);
  svg += heading_svg(1, "Image", image_caption(image, place.stretched)) + mounted_image_svg(1);
  svg += heading_svg(2, "Accumulator", accumulator_caption(image, trace.grid->frame())) +
         strip_panel_svg({*trace.grid, count_shades(trace.accumulator), line, nullptr}, kLeft[1],
                         kTop);
  svg += distribution_panel_svg(trace, line, kind);
  svg +=
      heading_svg(4, "Line", line_caption(recovery, kind)) + line_panel_svg(image, recovery, place);
  return svg + "</svg>\n";
}

}  // namespace vsmax::drawing
