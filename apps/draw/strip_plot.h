// SPDX-License-Identifier: Apache-2.0
// Pictures of values over all lines: theta to the right over [0, 180) degrees, rho downwards. The
// left and right edges are the same lines with rho reversed, which makes the square a Moebius
// strip. The first angle's cells lie half on the left and half on the right edge.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "draw/canvas.h"
#include "vsmax/hough/grid.h"

namespace vsmax::drawing {

// A colour scale whose brightness rises with the value: dark violet at 0, through green, to bright
// yellow at 1 (viridis by S. van der Walt and N. Smith, CC0). Values outside [0, 1] are clipped;
// NaN counts as 0.
Color viridis(double value);

// The line and its equivalents half a turn to the left and right (Eq. 2). Near the seam, two of
// them are visible in a plot.
std::array<PixelLine, 3> equivalents(PixelLine line);

// Where a line lies in a square plot with this side.
Point position_in_plot(const HoughGrid& grid, double side, PixelLine line);

// The offset of the line from a cell, in cells, for the nearest of its equivalents.
Point offset_in_cells(const HoughGrid& grid, Cell cell, PixelLine line);

// shades: T x R in [0, 1]. A pixel shows the brightest of the cells it covers, so no cell is lost.
RgbImage strip_picture(const HoughGrid& grid, const std::vector<float>& shades, int side);

// The cells up to `reach` away from a cell, each cell_side pixels wide.
RgbImage neighbourhood_picture(const HoughGrid& grid, const std::vector<float>& shades, Cell centre,
                               int reach, int cell_side);

// Shades for counts. A power law brings the mean to about a third of the scale: otherwise the few
// peaks of a clean image would leave the rest black, and noise would leave everything bright.
std::vector<float> count_shades(const std::vector<float>& counts);

// Shades for probabilities: logarithmic, six decades.
std::vector<float> probability_shades(const std::vector<float>& probabilities);

inline constexpr double kPanelSide = 240.0;  // SVG units; the fixed parts are drawn for it

// A panel of the explanation.
struct StripPanel {
  const HoughGrid& grid;
  std::vector<float> shades;     // T x R in [0, 1]
  std::vector<PixelLine> lines;  // to ring
  const Cell* peak;              // to enlarge in an inset, null for none
  // Pixels of the image per pixel of the grid's frame, so that the axis of rho is in those of the
  // image; nothing if there is no such number, and the axis is in those of the frame and says so.
  std::optional<double> reduction = 1.0;
};

// As SVG, with its top left corner at the origin. The axes take 60 units on the left and 44 below.
std::string strip_panel_svg(const StripPanel& panel);

}  // namespace vsmax::drawing
