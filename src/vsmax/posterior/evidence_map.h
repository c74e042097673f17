// SPDX-License-Identifier: Apache-2.0
// The evidence of all pixels, ready to be summed along lines of any direction (Eq. 32).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/posterior/chord_line.h"

namespace vsmax {

// Rows u in [first, last) of a map.
struct MapRows {
  int first = 0;
  int last = 0;

  friend bool operator==(const MapRows&, const MapRows&) = default;
};

// Keeps its memory from call to call.
class EvidenceMap {
 public:
  // Zeros at both ends of every row, so that a sum may run past the border.
  static constexpr int kMargin = 16;

  // evidence: row by row from the top.
  void assign(const ImageFrame& frame, std::span<const float> evidence);

  // Makes lines `width` pixels wide, at most kMargin / 2, until the next assign(). They must have
  // had width 1 so far.
  void widen(int width);

  const ImageFrame& frame() const { return frame_; }
  int rows(bool flat) const { return flat ? frame_.width : frame_.height; }
  int columns(bool flat) const { return flat ? frame_.height : frame_.width; }
  int width() const { return width_; }

  // The evidence at row u, to be indexed by the column v, which may lie up to kMargin outside.
  const float* row(bool flat, int row) const {
    return maps_[flat ? 1 : 0].data() + static_cast<std::size_t>(row) * stride(flat) + kMargin;
  }

  // The sum over the pixels of a line in these rows: those of a piece, or at least all rows in
  // which the line meets the image.
  float sum(const ChordLine& line, MapRows rows) const;

  // The consecutive rows over which the line's sum is greatest; none if no sum exceeds 0.
  MapRows best_rows(const ChordLine& line) const;

 private:
  // Calls body(row, evidence) for the line's pixel in each of the rows.
  template <class Body>
  void for_each_pixel(const ChordLine& line, MapRows rows, const Body& body) const;

  std::size_t stride(bool flat) const {
    return static_cast<std::size_t>(columns(flat)) + 2 * static_cast<std::size_t>(kMargin);
  }

  ImageFrame frame_;
  int width_ = 1;
  std::array<std::vector<float>, 2> maps_;  // for steep lines and, transposed, for flat ones
};

}  // namespace vsmax
