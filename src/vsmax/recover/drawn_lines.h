// SPDX-License-Identifier: Apache-2.0
// The edges and thin lines of a drawing, followed at full resolution (Eq. 62 and 63). Its areas are
// of one value, so that an edge can be told from curves and text by being straight to the pixel.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "vsmax/evidence/evidence.h"
#include "vsmax/geometry/line.h"
#include "vsmax/recover/stages.h"

namespace vsmax {

// Lengths in pixels.
struct FollowedEdge {
  PixelLine line;         // the edge, or the middle of the thin line that it is a side of
  double longest = 0.0;   // straight piece
  double others = 0.0;    // pieces on the same line, bright on the same side
  double opposite = 0.0;  // edges on the same line, bright on the other side
  double bent = 0.0;      // the part of the same edge that leaves the line
};

struct DrawnLine {
  PixelLine line;
  double confidence = 0.0;
  PixelLine in_frame;  // the same in the working frame
};

// Keeps its memory from call to call.
class DrawnLines {
 public:
  // The lines at the peaks of the votes of edges. `evidence`: that of the model `edges`; `pixels`:
  // the image in full.
  std::vector<DrawnLine> operator()(Stages& stages, const Evidence& evidence,
                                    const ImageStatistics& statistics,
                                    std::span<const float> pixels, const ImageFrame& frame,
                                    int threads);

  // Follows the edges of at least `clear` that run within `reach` pixels of `line`, and returns the
  // one with the longest straight piece.
  std::optional<FollowedEdge> follow(std::span<const float> pixels, const ImageFrame& frame,
                                     PixelLine line, int reach, float clear);

 private:
  // At an integer step along the line, this far from the line along the axis across.
  struct Point {
    int step = 0;
    double offset = 0.0;
    bool rises = false;
    std::optional<std::size_t> last{};  // on the same edge
  };

  // A straight piece of an edge: offset = a + b step.
  struct Piece {
    int from = 0;
    int to = 0;
    bool rises = false;
    std::size_t edge = 0;          // of which this is a part
    int whole = 0;                 // the span of that edge
    std::array<double, 5> sums{};  // of 1, step, step^2, offset and step * offset
    double a = 0.0;
    double b = 0.0;

    int span() const { return to - from; }
    double at(double step) const { return a + b * step; }
    void fit();
  };

  void add_point(const Point& point);
  void split(std::span<const Point> edge);  // into straight pieces
  double shift_to_middle(const Piece& side) const;

  std::vector<Gradient> rest_;  // without the lines found so far
  std::vector<float> across_;   // differences across the line at one step
  std::vector<Point> points_;
  std::vector<std::size_t> heads_;  // the last point of each edge that still continues
  std::vector<std::size_t> ends_;   // and of each that does not
  std::vector<Point> edge_;
  std::vector<Piece> pieces_;
};

}  // namespace vsmax
