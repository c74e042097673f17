// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/evidence_map.h"

#include <algorithm>
#include <cmath>

namespace vsmax {

void EvidenceMap::assign(const ImageFrame& frame, std::span<const float> evidence) {
  frame_ = frame;
  width_ = 1;
  for (const bool flat : {false, true})
    maps_[flat ? 1 : 0].assign(static_cast<std::size_t>(rows(flat)) * stride(flat), 0.0F);
  constexpr int kTile = 16;  // transposed in tiles, to stay within the cache
  for (int top = 0; top < frame.height; top += kTile)
    for (int left = 0; left < frame.width; left += kTile)
      for (int y = top; y < std::min(top + kTile, frame.height); ++y)
        for (int x = left; x < std::min(left + kTile, frame.width); ++x) {
          const float value = evidence[frame.index(x, y)];
          maps_[0][static_cast<std::size_t>(y) * stride(false) +
                   static_cast<std::size_t>(kMargin + x)] = value;
          maps_[1][static_cast<std::size_t>(x) * stride(true) +
                   static_cast<std::size_t>(kMargin + y)] = value;
        }
}

void EvidenceMap::widen(int width) {
  width_ = width;
  std::vector<float> narrow;
  for (const bool flat : {false, true}) {
    const std::size_t length = stride(flat);
    std::vector<float>& map = maps_[flat ? 1 : 0];
    for (auto row = map.begin(); row != map.end(); row += static_cast<std::ptrdiff_t>(length)) {
      narrow.assign(row, row + static_cast<std::ptrdiff_t>(length));
      narrow.resize(length + static_cast<std::size_t>(width), 0.0F);
      for (std::size_t column = 0; column < length; ++column) {
        float sum = 0.0F;
        for (std::size_t d = 0; d < static_cast<std::size_t>(width); ++d) sum += narrow[column + d];
        row[static_cast<std::ptrdiff_t>(column)] = sum;
      }
    }
  }
}

template <class Body>
void EvidenceMap::for_each_pixel(const ChordLine& line, MapRows rows, const Body& body) const {
  const HalfSides half = half_sides(frame_, line.flat);
  const std::size_t length = stride(line.flat);
  const float* row =
      maps_[line.flat ? 1 : 0].data() + static_cast<std::size_t>(rows.first) * length;
  // The column of the nearest pixel; for a wider line, that of its first pixel.
  const auto start = static_cast<float>(line.offset - line.slope * (rows.first - half.u) + half.v +
                                        kMargin + 0.5 - 0.5 * (width_ - 1));
  const auto slope = static_cast<float>(line.slope);
  const float last = static_cast<float>(length) - 1.0F;
  for (int k = 0; k < rows.last - rows.first; ++k) {
    const float column = start - slope * static_cast<float>(k);
    body(rows.first + k, row[static_cast<std::size_t>(std::clamp(column, 0.0F, last))]);
    row += length;
  }
}

float EvidenceMap::sum(const ChordLine& line, MapRows rows) const {
  float sum = 0.0F;
  for_each_pixel(line, rows, [&](int, float evidence) { sum += evidence; });
  return sum;
}

MapRows EvidenceMap::best_rows(const ChordLine& line) const {
  float run = 0.0F;
  float best = 0.0F;
  int first = 0;
  MapRows rows;
  for_each_pixel(line, {0, this->rows(line.flat)}, [&](int row, float evidence) {
    if (run <= 0.0F) {
      run = 0.0F;
      first = row;
    }
    run += evidence;
    if (run <= best) return;
    best = run;
    rows = {first, row + 1};
  });
  return rows;
}

}  // namespace vsmax
