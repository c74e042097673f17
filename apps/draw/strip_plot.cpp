// SPDX-License-Identifier: Apache-2.0
#include "draw/strip_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>

#include "draw/colormap.h"
#include "draw/font.h"
#include "draw/text_layout.h"
#include "draw/theme.h"

namespace vsmax::drawing {

namespace {

constexpr double kRingWidth = 2.0;
constexpr int kTick = 5;
constexpr int kMostRhoTicks = 9;

float value_at(const HoughGrid& grid, const std::vector<float>& values, Cell cell) {
  return values[static_cast<std::size_t>(cell.t) * static_cast<std::size_t>(grid.rhos()) +
                static_cast<std::size_t>(cell.r)];
}

// 1, 2 or 5 times a power of ten, so that at most kMostRhoTicks lie in [-reach, reach].
double tick_step(double reach) {
  const double least = 2.0 * reach / kMostRhoTicks;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10.0 * power;
}

void draw_theta_axis(Canvas& page, const Rect& plot) {
  for (int degrees = 0; degrees <= 180; degrees += 45) {
    const int x = plot.x + (plot.width - 1) * degrees / 180;
    page.fill({x, plot.bottom(), 1, kTick}, kSoftInk);
    const std::string label = std::to_string(degrees);
    draw_text(page, x - text_width(label) / 2, plot.bottom() + kTick + 4, label, kSoftInk);
  }
  const std::string name = "theta in degrees";
  draw_text(page, plot.x + (plot.width - text_width(name)) / 2, plot.bottom() + kTick + 22, name,
            kSoftInk);
}

void draw_rho_axis(Canvas& page, const Rect& plot, const HoughGrid& grid) {
  const double reach = grid.frame().half_diagonal();
  const double step = tick_step(reach);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const int last = static_cast<int>(std::floor(reach / step));
  for (int i = -last; i <= last; ++i) {
    const int y = plot.y + static_cast<int>(position_in_plot(grid, plot.height, {0.0, i * step}).y);
    page.fill({plot.x - kTick, y, kTick, 1}, kSoftInk);
    const std::string label = fixed(i * step, decimals);
    draw_text(page, plot.x - kTick - 4 - text_width(label), y - kCapitalHeight / 2, label,
              kSoftInk);
  }
  const std::string name = "rho in pixels";
  draw_text(page, plot.x - kAxisLeft, plot.y + (plot.height + text_width(name)) / 2, name, kSoftInk,
            1, TextDirection::kUpwards);
}

// Dashes, and arrows that point in opposite directions: the edges are one after a flip.
void draw_seam(Canvas& page, const Rect& plot) {
  constexpr int kDash = 6;
  for (const int x : {plot.x, plot.right() - 1})
    for (int y = plot.y; y < plot.bottom(); ++y)
      page.blend(x, y, (y - plot.y) / kDash % 2 == 0 ? kWhite : kHaloColor, 0.8);
  const auto arrow = [&](int edge, double part, double direction, const Stroke& stroke) {
    const Point tip{edge + 0.5, plot.y + part * plot.height + 4.0 * direction};
    for (const double side : {-5.0, 5.0})
      page.line(tip, {tip.x + side, tip.y - 8.0 * direction}, stroke);
  };
  for (const Stroke& stroke : {Stroke{kHaloColor, 4.0}, Stroke{kWhite, 2.0}})
    for (const double part : {0.25, 0.75}) {
      arrow(plot.x, part, -1.0, stroke);
      arrow(plot.right() - 1, part, 1.0, stroke);
    }
}

}  // namespace

Cell across_seam(const HoughGrid& grid, int t, int r) {
  const int thetas = grid.thetas();
  const int turns = t >= 0 ? t / thetas : -((thetas - 1 - t) / thetas);
  return {t - turns * thetas, turns % 2 == 0 ? r : grid.rhos() - 1 - r};
}

std::array<PixelLine, 3> names_around(PixelLine line) {
  line = canonical(line);
  return {{{line.theta - std::numbers::pi, -line.rho},
           line,
           {line.theta + std::numbers::pi, -line.rho}}};
}

Point position_in_plot(const HoughGrid& grid, int side, PixelLine line) {
  return {line.theta / std::numbers::pi * side,
          (line.rho / grid.bin_width() + 0.5 * grid.rhos()) / grid.rhos() * side};
}

Canvas strip_picture(const HoughGrid& grid, const std::vector<float>& shades, int side) {
  const std::int64_t thetas = grid.thetas();
  const std::int64_t rhos = grid.rhos();
  Canvas plot(side, side, viridis(0.0));
  for (int row = 0; row < side; ++row) {
    const auto first_r = static_cast<int>(row * rhos / side);
    const auto last_r = static_cast<int>(((row + 1) * rhos - 1) / side);
    for (int column = 0; column < side; ++column) {
      // Cell t reaches half a step to either side of its angle.
      const auto first_t = static_cast<int>((2 * column * thetas + side) / (2 * side));
      const auto last_t = static_cast<int>((2 * (column + 1) * thetas + side - 1) / (2 * side));
      float brightest = 0.0F;
      for (int t = first_t; t <= last_t; ++t)
        for (int r = first_r; r <= last_r; ++r)
          brightest = std::max(brightest, value_at(grid, shades, across_seam(grid, t, r)));
      plot.set(column, row, viridis(static_cast<double>(brightest)));
    }
  }
  return plot;
}

void draw_reach(Canvas& plot, const HoughGrid& grid) {
  const ImageFrame& frame = grid.frame();
  const auto height_at = [&](double column, double sign) {
    const double theta = std::numbers::pi * column / plot.width();
    const double reach = frame.half_width() * std::abs(std::cos(theta)) +
                         frame.half_height() * std::abs(std::sin(theta));
    return position_in_plot(grid, plot.width(), {theta, sign * reach}).y;
  };
  // Column by column, since overlapping pieces of a translucent line would show.
  for (const double sign : {-1.0, 1.0})
    for (int column = 0; column < plot.width(); ++column) {
      const double slope = height_at(column + 1.0, sign) - height_at(column, sign);
      const double y = height_at(column + 0.5, sign);
      const double steepness = std::hypot(1.0, slope);
      const int last = static_cast<int>(y + 2.0 * steepness);
      for (int row = static_cast<int>(y - 2.0 * steepness); row <= last; ++row) {
        const double distance = std::abs(row + 0.5 - y) / steepness;
        plot.blend(column, row, kHaloColor, 0.25 * std::clamp(1.5 - distance, 0.0, 1.0));
        plot.blend(column, row, kWhite, 0.45 * std::clamp(1.0 - distance, 0.0, 1.0));
      }
    }
}

void ring_line(Canvas& plot, const HoughGrid& grid, PixelLine line) {
  for (const PixelLine& name : names_around(line))
    haloed_ring(plot, position_in_plot(grid, plot.width(), name), kRingRadius, kRingWidth);
}

void draw_axes(Canvas& page, const Rect& plot, const HoughGrid& grid) {
  draw_seam(page, plot);
  draw_theta_axis(page, plot);
  draw_rho_axis(page, plot, grid);
}

}  // namespace vsmax::drawing
