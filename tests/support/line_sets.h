// SPDX-License-Identifier: Apache-2.0
// Images of several lines, and how well a set of lines matches the truth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/lines.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::test {

using LineSet = std::vector<PixelLine>;

inline double chordal_distance(PixelLine a, PixelLine b, const ImageFrame& frame) {
  return chordal_distance(unit_from_pixel(a, frame), unit_from_pixel(b, frame));
}

// `count` random lines that can be seen and told apart: each at least 64 pixels long, no two closer
// than 0.1 in the chordal distance.
inline LineSet random_lines(const ImageFrame& frame, int count, std::uint32_t index) {
  LineSet lines;
  for (std::uint32_t attempt = 0; lines.size() < static_cast<std::size_t>(count); ++attempt) {
    const PixelLine line = draw_continuous_line({7, Split::kTest, index, attempt}, frame);
    const auto seen = visible_segment(line, frame);
    if (!seen || std::hypot(seen->begin[0] - seen->end[0], seen->begin[1] - seen->end[1]) < 64.0)
      continue;
    if (std::all_of(lines.begin(), lines.end(),
                    [&](PixelLine other) { return chordal_distance(line, other, frame) > 0.1; }))
      lines.push_back(line);
  }
  return lines;
}

inline GrayImage image_of(const ImageFrame& frame, const LineSet& lines, double sigma = 0.0,
                          std::uint32_t index = 0) {
  GrayImage image(frame);
  render_lines(frame, lines, sigma, {42, Split::kTest, 0, index}, image.pixels);
  return image;
}

// How many lines match, each at most once, with an EA-score of at least `least`; the best first.
inline int matches(const std::vector<RecoveredLine>& found, const LineSet& truth,
                   const ImageFrame& frame, double least) {
  struct Pair {
    double score;
    std::size_t found, truth;
  };
  std::vector<Pair> pairs;
  for (std::size_t f = 0; f < found.size(); ++f)
    for (std::size_t t = 0; t < truth.size(); ++t)
      pairs.push_back({ea_score(found[f].line, truth[t], frame), f, t});
  std::sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.score > b.score; });
  std::vector<bool> used(found.size());
  std::vector<bool> hit(truth.size());
  int count = 0;
  for (const Pair& pair : pairs) {
    if (pair.score < least || used[pair.found] || hit[pair.truth]) continue;
    used[pair.found] = hit[pair.truth] = true;
    ++count;
  }
  return count;
}

}  // namespace vsmax::test
