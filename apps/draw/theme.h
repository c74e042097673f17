// SPDX-License-Identifier: Apache-2.0
// The colours of all pictures, and the two strokes that make a mark visible on any ground.
#pragma once

#include <algorithm>

#include "draw/canvas.h"

namespace vsmax::drawing {

inline constexpr Color kPaper{252, 252, 250};
inline constexpr Color kMount{238, 239, 240};  // behind a picture that does not fill its box
inline constexpr Color kFrame{176, 182, 190};
inline constexpr Color kInk{28, 32, 40};
inline constexpr Color kSoftInk{92, 100, 112};
inline constexpr Color kLineColor{255, 78, 50};  // absent from greys and from viridis alike
inline constexpr Color kHaloColor{12, 12, 16};
inline constexpr Color kWhite{255, 255, 255};

inline Stroke line_stroke(double width) { return {kLineColor, width}; }

// Laid below a line_stroke of the same width.
inline Stroke halo_stroke(double width) {
  return {kHaloColor, width + std::max(2.0, 0.8 * width), 0.55};
}

inline void haloed_line(Canvas& canvas, Point begin, Point end, double width) {
  canvas.line(begin, end, halo_stroke(width));
  canvas.line(begin, end, line_stroke(width));
}

// For what should be seen but not stand out.
inline void thin_line(Canvas& canvas, Point begin, Point end) {
  canvas.line(begin, end, {kHaloColor, 2.0, 0.2});
  canvas.line(begin, end, {kWhite, 1.0, 0.4});
}

inline void haloed_ring(Canvas& canvas, Point center, double radius, double width) {
  canvas.ring(center, radius, halo_stroke(width));
  canvas.ring(center, radius, line_stroke(width));
}

}  // namespace vsmax::drawing
