// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "draw/captions.h"
#include "draw/line_colors.h"
#include "draw/strip_plot.h"
#include "draw/svg.h"

namespace vsmax::drawing {
namespace {

constexpr int kPixelsPerUnit = 2;  // so that high-resolution displays show single cells
constexpr double kRingRadius = 8.0;
constexpr int kZoomReach = 4;  // cells on each side of the peak
constexpr int kZoomCell = 9;   // units
constexpr double kZoomSide = (2 * kZoomReach + 1) * kZoomCell;
constexpr double kZoomMargin = 9.0;

// The seam, with arrows in opposite directions because the edges are glued after a flip, and the
// axis of theta.
constexpr const char* kFrame = R"(<path class='seam' d='M0 0V240M240 0V240'/>
<path class='seam dashes' d='M0 0V240M240 0V240'/>
<path class='arrow-halo' d='M-5 64l5-8l5 8m-10 120l5-8l5 8M235 56l5 8l5-8m-10 120l5 8l5-8'/>
<path class='arrow' d='M-5 64l5-8l5 8m-10 120l5-8l5 8M235 56l5 8l5-8m-10 120l5 8l5-8'/>
<path class='ticks' d='M0 240v5m60-5v5m60-5v5m60-5v5m60-5v5'/>
<text class='tick' y='258'>0°</text>
<text class='tick' x='60' y='258'>45°</text>
<text class='tick' x='120' y='258'>90°</text>
<text class='tick' x='180' y='258'>135°</text>
<text class='tick' x='240' y='258'>180°</text>
<text class='tick' x='120' y='277'>angle θ</text>
)";

std::string picture_svg(const RgbImage& picture, double side) {
  return fmt::format("<image width='{0:g}' height='{0:g}' href='{1}'/>\n", side,
                     data_uri(encode_png(picture)));
}

// |rho| = h_x |cos| + h_y |sin|, beyond which lines miss the image (Eq. 8).
std::string curves_svg(const HoughGrid& grid) {
  constexpr int kSteps = 90;
  std::string path;
  for (const double sign : {-1.0, 1.0})
    for (int i = 0; i <= kSteps; ++i) {
      const double theta = std::numbers::pi * i / kSteps;
      const double rho = grid.frame().half_width() * std::abs(std::cos(theta)) +
                         grid.frame().half_height() * std::sin(theta);
      const Point at = position_in_plot(grid, kPanelSide, {theta, sign * rho});
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', at.x, at.y);
    }
  return fmt::format("<path class='curve' d='{}'/>\n", path);
}

std::string rings_svg(const HoughGrid& grid, PixelLine line, const std::string& style) {
  std::string svg;
  for (const PixelLine& name : equivalents(line)) {
    const Point at = position_in_plot(grid, kPanelSide, name);
    const auto touches = [](double v) { return v > -kRingRadius && v < kPanelSide + kRingRadius; };
    if (!touches(at.x) || !touches(at.y)) continue;
    for (const auto& [kind, color] :
         {std::pair<const char*, std::string>{"halo", ""}, {"ring", style}})
      svg += fmt::format("<circle class='{}' cx='{:.2f}' cy='{:.2f}' r='{:g}'{}/>\n", kind, at.x,
                         at.y, kRingRadius, color);
  }
  return svg;
}

// A corner away from the peak, and from where the peak reappears across the seam, upside down.
Point zoom_corner(Point peak) {
  constexpr double kFar = kPanelSide - kZoomSide - kZoomMargin;
  const bool near_seam = std::abs(peak.x - 0.5 * kPanelSide) > 0.25 * kPanelSide;
  const bool at_top = (peak.y > 0.5 * kPanelSide) != near_seam;
  return {peak.x > 0.5 * kPanelSide ? kZoomMargin : kFar, at_top ? kZoomMargin : kFar};
}

std::string zoom_svg(const StripPanel& panel) {
  const Cell cell = *panel.peak;
  const Point peak = position_in_plot(panel.grid, kPanelSide, panel.grid.line(cell));
  const Point corner = zoom_corner(peak);
  constexpr double kMiddle = 0.5 * kZoomSide;
  // A leader from the ring to the middle of the inset, which covers its end.
  const Point way{corner.x + kMiddle - peak.x, corner.y + kMiddle - peak.y};
  const double start = (kRingRadius + 2.0) / std::hypot(way.x, way.y);
  std::string svg = fmt::format(
      "<path class='curve' d='M{:.1f} {:.1f}L{:.1f} {:.1f}'/>\n<g transform='translate({:g} {:g})'>"
      "\n{}<rect class='inset' width='{:g}' height='{:g}'/>\n",
      peak.x + start * way.x, peak.y + start * way.y, peak.x + way.x, peak.y + way.y, corner.x,
      corner.y,
      picture_svg(neighbourhood_picture(panel.grid, panel.shades, cell, kZoomReach,
                                        kPixelsPerUnit * kZoomCell),
                  kZoomSide),
      kZoomSide, kZoomSide);
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const Point offset = offset_in_cells(panel.grid, cell, panel.lines[i]);
    if (std::max(std::abs(offset.x), std::abs(offset.y)) < kZoomReach + 0.5)
      svg += fmt::format("<circle class='dot' cx='{:.2f}' cy='{:.2f}' r='2.5'{}/>\n",
                         kMiddle + offset.x * kZoomCell, kMiddle + offset.y * kZoomCell,
                         color_style("fill", i));
  }
  return svg + "</g>\n";
}

// 1, 2 or 5 times a power of ten, so that at most nine ticks lie in [-reach, reach].
double tick_step(double reach) {
  constexpr int kMostTicks = 9;
  const double least = 2.0 * reach / kMostTicks;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10.0 * power;
}

std::string rho_axis_svg(const HoughGrid& grid, const std::optional<double>& reduction) {
  const double unit = reduction.value_or(1.0);
  const double reach = unit * grid.frame().half_diagonal();
  const double step = tick_step(reach);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const int last = static_cast<int>(std::floor(reach / step));
  std::string svg = fmt::format(
      "<text class='tick' transform='translate(-54 120) rotate(-90)'>offset ρ ({})</text>\n",
      reduction ? "pixels" : "reduced pixels");
  for (int i = -last; i <= last; ++i) {
    const double y = position_in_plot(grid, kPanelSide, {0.0, i * step / unit}).y;
    svg += fmt::format(
        "<path class='ticks' d='M0 {:.2f}h-5'/>"
        "<text class='tick rho' x='-9' y='{:.2f}'>{}</text>\n",
        y, y + 4.0, number_text(i * step, decimals));
  }
  return svg;
}

}  // namespace

std::string strip_panel_svg(const StripPanel& panel) {
  // A nested svg element clips what it contains.
  std::string svg = fmt::format("<svg width='{0:g}' height='{0:g}'>\n", kPanelSide);
  svg += picture_svg(
      strip_picture(panel.grid, panel.shades, static_cast<int>(kPixelsPerUnit * kPanelSide)),
      kPanelSide);
  svg += curves_svg(panel.grid);
  for (std::size_t i = 0; i < panel.lines.size(); ++i)
    svg += rings_svg(panel.grid, panel.lines[i], color_style("stroke", i));
  if (panel.peak != nullptr) svg += zoom_svg(panel);
  return svg + "</svg>\n" + kFrame + rho_axis_svg(panel.grid, panel.reduction);
}

}  // namespace vsmax::drawing
