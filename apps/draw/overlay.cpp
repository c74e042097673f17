// SPDX-License-Identifier: Apache-2.0
#include "draw/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "draw/line_colors.h"
#include "vsmax/evidence/area_average.h"

namespace vsmax::drawing {
namespace {

constexpr Color kHaloColor{12, 12, 16};
constexpr Color kWhite{255, 255, 255};
constexpr int kLeastSide = 64;

void mark_end(RgbImage& picture, Point end, double width, Color color) {
  draw_line(picture, end, end, {kHaloColor, 5.6 * width});
  draw_line(picture, end, end, {kWhite, 4.4 * width});
  draw_line(picture, end, end, {color, 2.8 * width});
}

// Draws the pointwise 95 % band of the line: two curves, closest together where the line is known
// best. (Turning the line by d about the foot of the normal moves its point at distance t by -t d.)
template <class At>
void draw_band(RgbImage& picture, const RecoveredLine& found, const At& at, const Stroke& stroke) {
  constexpr int kPieces = 48;
  constexpr double kDeviations = 1.96;
  const LineSpread& spread = *found.spread;
  const double cosine = std::cos(found.line.theta);
  const double sine = std::sin(found.line.theta);
  const auto along = [&](std::array<double, 2> point) {
    return point[1] * cosine - point[0] * sine;
  };
  const double first = along(found.visible->begin);
  const double last = along(found.visible->end);
  const auto edge = [&](int piece, double side) {
    const double t = first + (last - first) * piece / kPieces;
    const double variance = spread.rho_sd * spread.rho_sd +
                            t * t * spread.theta_sd * spread.theta_sd -
                            2.0 * t * spread.correlation * spread.rho_sd * spread.theta_sd;
    const double rho = found.line.rho + side * kDeviations * std::sqrt(std::max(0.0, variance));
    return at({rho * cosine - t * sine, rho * sine + t * cosine});
  };
  for (const double side : {-1.0, 1.0})
    for (int piece = 0; piece < kPieces; ++piece)
      draw_line(picture, edge(piece, side), edge(piece + 1, side), stroke);
}

// The image at this size, in grey or colour like the original.
RgbImage resized(const ImageView& image, const ImageFrame& size) {
  GrayImage channel(image.frame());
  if (image.channels() == 1) {
    image.copy_to(channel.pixels.data());
    return gray_picture(area_average(channel, size));
  }
  RgbImage picture(size.width, size.height);
  for (std::size_t c = 0; c < RgbImage::kChannels; ++c) {
    image.copy_channel_to(c, channel.pixels.data());
    const RgbImage shade = gray_picture(area_average(channel, size));
    for (std::size_t i = c; i < shade.pixels.size(); i += RgbImage::kChannels)
      picture.pixels[i] = shade.pixels[i];
  }
  return picture;
}

}  // namespace

ImageFrame display_size(const ImageFrame& image, int enlarge_to, int reduce_to) {
  const int side = std::max({image.width, image.height, 1});
  const double factor =
      side <= reduce_to ? std::max(1, enlarge_to / side) : static_cast<double>(reduce_to) / side;
  const auto scaled = [&](int size) {
    const int usual = static_cast<int>(std::lround(factor * size));
    if (usual >= kLeastSide || size < 1) return std::max(usual, 1);
    return size < kLeastSide ? size * ((kLeastSide + size - 1) / size) : kLeastSide;
  };
  return {scaled(image.width), scaled(image.height)};
}

Point position_in_picture(const ImageFrame& frame, double width, double height,
                          std::array<double, 2> from_centre) {
  return {(from_centre[0] + 0.5 * frame.width) * width / frame.width,
          (from_centre[1] + 0.5 * frame.height) * height / frame.height};
}

Segment beyond_edges(PixelLine line, const Segment& visible, const ImageFrame& frame) {
  const std::array<double, 2> middle = visible.midpoint();
  const double far = 2.0 * (frame.width + frame.height);
  const double dx = -far * std::sin(line.theta);
  const double dy = far * std::cos(line.theta);
  return {{middle[0] - dx, middle[1] - dy}, {middle[0] + dx, middle[1] + dy}};
}

RgbImage draw_overlay(const ImageView& image, const Recovery& recovery) {
  return draw_overlay(image, recovery, display_size(image.frame(), 640, 1600));
}

RgbImage draw_overlay(const ImageView& image, const Recovery& recovery, const ImageFrame& size) {
  const ImageFrame& frame = image.frame();
  RgbImage picture = resized(image, size);
  // Lines are drawn in proportion to the picture's size.
  const double width = std::max(1.8, 0.0045 * std::sqrt(static_cast<double>(size.pixels())));
  const auto at = [&](std::array<double, 2> point) {
    return position_in_picture(frame, size.width, size.height, point);
  };
  for (std::size_t rank = recovery.lines.size(); rank-- > 0;) {  // the first lies on top
    const RecoveredLine& found = recovery.lines[rank];
    const Color color = line_color(rank);
    if (!found.visible) continue;
    const Segment line = beyond_edges(found.line, *found.visible, frame);
    draw_line(picture, at(line.begin), at(line.end),
              {kHaloColor, width + std::max(2.0, 0.8 * width), 0.55});
    draw_line(picture, at(line.begin), at(line.end), {color, width});
    if (found.spread) draw_band(picture, found, at, {color, 0.5 * width});
    mark_end(picture, at(found.visible->begin), width, color);
    mark_end(picture, at(found.visible->end), width, color);
  }
  return picture;
}

}  // namespace vsmax::drawing
