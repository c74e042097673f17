// SPDX-License-Identifier: Apache-2.0
#include "draw/zoom_inset.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "draw/colormap.h"
#include "draw/font.h"
#include "draw/strip_plot.h"
#include "draw/theme.h"

namespace vsmax::drawing {

namespace {

constexpr int kCellSide = 13;
constexpr int kInsetSide = kZoomCells * kCellSide;
constexpr int kHeader = kTextHeight + 8;
constexpr int kFromEdge = 12;
constexpr int kReach = kZoomCells / 2;
constexpr Color kBeyond{40, 42, 48};  // no lines there: rho ends

std::size_t index_of(const HoughGrid& grid, Cell cell) {
  return static_cast<std::size_t>(cell.t) * static_cast<std::size_t>(grid.rhos()) +
         static_cast<std::size_t>(cell.r);
}

// Farthest also from where the peak continues across the seam.
Rect farthest_corner(const Canvas& plot, const HoughGrid& grid, Cell peak) {
  const int width = kInsetSide + 2;
  const int height = kInsetSide + kHeader + 2;
  Rect best{kFromEdge, kFromEdge, width, height};
  double largest = -1.0;
  for (const int x : {plot.width() - width - kFromEdge, kFromEdge})
    for (const int y : {kFromEdge, plot.height() - height - kFromEdge}) {
      double nearest = 1e9;
      for (const PixelLine& name : names_around(grid.line(peak))) {
        const Point from = position_in_plot(grid, plot.width(), name);
        nearest =
            std::min(nearest, std::hypot(x + 0.5 * width - from.x, y + 0.5 * height - from.y));
      }
      if (nearest <= largest) continue;
      largest = nearest;
      best = {x, y, width, height};
    }
  return best;
}

// The line in cells from the peak, of its two names (Eq. 2) the nearer one.
Point offset_in_cells(const HoughGrid& grid, Cell peak, PixelLine line) {
  Point nearest{1e9, 1e9};
  for (const auto& [theta, rho] : names_around(line)) {
    const Point offset{(theta - grid.theta(peak.t)) / std::numbers::pi * grid.thetas(),
                       (rho - grid.rho(peak.r)) / grid.bin_width()};
    if (std::hypot(offset.x, offset.y) < std::hypot(nearest.x, nearest.y)) nearest = offset;
  }
  return nearest;
}

// From the peak's ring to the middle of the box, which is drawn over its end.
void draw_leader(Canvas& plot, Point from, const Rect& box) {
  const Point to{box.x + 0.5 * box.width, box.y + 0.5 * box.height};
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double start = (kRingRadius + 3.0) / length;
  thin_line(plot, {from.x + start * (to.x - from.x), from.y + start * (to.y - from.y)}, to);
}

void draw_cells(Canvas& plot, const HoughGrid& grid, const std::vector<float>& shades, Cell peak,
                int x, int y) {
  for (int dt = -kReach; dt <= kReach; ++dt)
    for (int dr = -kReach; dr <= kReach; ++dr) {
      const int r = peak.r + dr;
      Color color = kBeyond;
      if (r >= 0 && r < grid.rhos()) {
        const float shade = shades[index_of(grid, across_seam(grid, peak.t + dt, r))];
        color = viridis(static_cast<double>(shade));
      }
      plot.fill(
          {x + (dt + kReach) * kCellSide, y + (dr + kReach) * kCellSide, kCellSide, kCellSide},
          color);
    }
}

}  // namespace

void draw_zoom_inset(Canvas& plot, const HoughGrid& grid, const std::vector<float>& shades,
                     Cell peak, const PixelLine* line, const std::string& label) {
  const Point from = position_in_plot(grid, plot.width(), grid.line(peak));
  const Rect box = farthest_corner(plot, grid, peak);
  draw_leader(plot, from, box);
  plot.fill({box.x - 1, box.y - 1, box.width + 2, box.height + 2}, kInk);
  draw_text(plot, box.x + (box.width - text_width(label)) / 2, box.y + 6, label, kWhite);
  const int x = box.x + 1;
  const int y = box.y + kHeader + 1;
  draw_cells(plot, grid, shades, peak, x, y);
  plot.outline(box, kWhite);

  if (line == nullptr) return;
  const Point offset = offset_in_cells(grid, peak, *line);
  if (std::abs(offset.x) > kReach + 0.5 || std::abs(offset.y) > kReach + 0.5) return;
  const Point center{x + 0.5 * kInsetSide + offset.x * kCellSide,
                     y + 0.5 * kInsetSide + offset.y * kCellSide};
  plot.disc(center, 4.0, kHaloColor);
  plot.disc(center, 2.8, kLineColor);
}

}  // namespace vsmax::drawing
