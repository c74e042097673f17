// SPDX-License-Identifier: Apache-2.0
// Pictures of values over all lines: theta to the right over [0, 180) degrees, rho downwards. The
// left and right edges are the same lines with rho reversed, which makes the square a Moebius
// strip; the plot shows the seam as it is, with half of the first angle's cells on either side.
#pragma once

#include <array>
#include <vector>

#include "draw/canvas.h"
#include "vsmax/hough/grid.h"

namespace vsmax::drawing {

// The cell at any t, continued over the seam; r must lie in [0, R).
Cell across_seam(const HoughGrid& grid, int t, int r);

// The line and its names one turn to the left and to the right (Eq. 2): near the seam, two of them
// matter to a plot.
std::array<PixelLine, 3> names_around(PixelLine line);

// Where a line lies in a plot of this size.
Point position_in_plot(const HoughGrid& grid, int side, PixelLine line);

// shades: T x R in [0, 1]. A pixel shows the brightest of the cells it covers, so that a single
// cell is never lost.
Canvas strip_picture(const HoughGrid& grid, const std::vector<float>& shades, int side);

// A thin curve |rho| = h_x |cos| + h_y |sin|, beyond which lines miss the image (Eq. 8).
void draw_reach(Canvas& plot, const HoughGrid& grid);

// Rings the line, on both sides of the seam when it lies near.
inline constexpr double kRingRadius = 11.0;
void ring_line(Canvas& plot, const HoughGrid& grid, PixelLine line);

// Draws ticks, labels and the marks of the seam around a plot that is already on the page. They
// need kAxisLeft pixels to the left of it and kAxisBelow below.
inline constexpr int kAxisLeft = 66;
inline constexpr int kAxisBelow = 44;
void draw_axes(Canvas& page, const Rect& plot, const HoughGrid& grid);

}  // namespace vsmax::drawing
