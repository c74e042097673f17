// SPDX-License-Identifier: Apache-2.0
#include "draw/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vsmax/evidence/area_average.h"

namespace vsmax::drawing {

namespace {

// The SVG of --explain uses the same colours.
constexpr Color kLineColor{255, 78, 50};  // occurs neither in greys nor in viridis
constexpr Color kHaloColor{12, 12, 16};
constexpr Color kWhite{255, 255, 255};

// The same share of the picture at any size.
double line_width_for(const Canvas& canvas) {
  return std::max(1.8, 0.0045 * std::sqrt(static_cast<double>(canvas.width()) * canvas.height()));
}

void mark_end(Canvas& canvas, Point end, double width) {
  canvas.line(end, end, {kHaloColor, 5.6 * width});
  canvas.line(end, end, {kWhite, 4.4 * width});
  canvas.line(end, end, {kLineColor, 2.8 * width});
}

}  // namespace

ImageFrame display_size(const GrayImage& image, int enlarge_to, int reduce_to) {
  const int side = std::max({image.width, image.height, 1});
  const double factor =
      side <= reduce_to ? std::max(1, enlarge_to / side) : static_cast<double>(reduce_to) / side;
  const auto scaled = [&](int size) {
    return std::max(1, static_cast<int>(std::lround(factor * size)));
  };
  return {scaled(image.width), scaled(image.height)};
}

Point position_in_picture(const ImageFrame& frame, double width, double height,
                          std::array<double, 2> from_centre) {
  return {(from_centre[0] + 0.5 * frame.width) * width / frame.width,
          (from_centre[1] + 0.5 * frame.height) * height / frame.height};
}

Segment beyond_edges(PolarLine line, const Segment& visible, const ImageFrame& frame) {
  const std::array<double, 2> middle = visible.midpoint();
  const double far = 2.0 * (frame.width + frame.height);
  const double dx = -far * std::sin(line.theta);
  const double dy = far * std::cos(line.theta);
  return {{middle[0] - dx, middle[1] - dy}, {middle[0] + dx, middle[1] + dy}};
}

RgbImage draw_overlay(const GrayImage& image, const Recovery& recovery) {
  const ImageFrame frame{image.width, image.height};
  const ImageFrame size = display_size(image, 640, 1600);
  Canvas canvas(area_average(image, size.width, size.height));
  const double width = line_width_for(canvas);
  const auto at = [&](std::array<double, 2> point) {
    return position_in_picture(frame, size.width, size.height, point);
  };
  for (const RecoveredLine& found : recovery.lines) {
    if (!found.visible) continue;
    const Segment line = beyond_edges(found.line, *found.visible, frame);
    canvas.line(at(line.begin), at(line.end),
                {kHaloColor, width + std::max(2.0, 0.8 * width), 0.55});
    canvas.line(at(line.begin), at(line.end), {kLineColor, width});
    mark_end(canvas, at(found.visible->begin), width);
    mark_end(canvas, at(found.visible->end), width);
  }
  return std::move(canvas).take();
}

}  // namespace vsmax::drawing
