// SPDX-License-Identifier: Apache-2.0
// The evidence of all lines of an image (Eq. 32, 51): the sums over the pixels of a set of lines so
// dense that any other line is within 3/4 of a pixel of one of them at both ends.
//
// A line crosses a strip of eight rows in one of about a hundred ways. These partial sums are
// computed once per strip and shared by all lines, so that a line costs one addition for every
// eight pixels. The result is exact.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/posterior/evidence_map.h"

namespace vsmax {

// Whether a line is summed as a whole or over the piece, in steps of eight rows, that gives the
// greatest sum.
enum class LineExtent { kWhole, kPiece };

// The tables of one image size, and the memory of the last scan.
class LineScan {
 public:
  // Lines of one slope: sums[i] belongs to the offset first_offset + i.
  struct Parallels {
    bool flat = false;
    double slope = 0.0;
    double first_offset = 0.0;
    double log_cell = 0.0;  // log of the area d offset d slope that each line stands for
    std::span<const float> sums;
  };
  using Visit = std::function<void(const Parallels&)>;

  explicit LineScan(const ImageFrame& frame);

  // Calls visit twice for every slope, with two sets of offsets half a pixel apart. Visits all
  // lines that meet the image, and none that do not. The map must have the frame's size and lines
  // of width 1.
  void operator()(const EvidenceMap& map, LineExtent extent, const Visit& visit);

 private:
  static constexpr int kRows = 8;              // of a strip
  using Way = std::array<std::int8_t, kRows>;  // columns relative to that of the first row

  struct Step {
    std::uint16_t way = 0;    // how a line crosses a strip
    std::int16_t column = 0;  // its column in the strip's first row, for offset index 0
  };
  struct Direction {
    double slope = 0.0;
    double phase = 0.0;       // of the offsets, in pixels
    std::vector<Step> steps;  // one per strip
  };
  struct Plan {
    int strips = 0;
    std::vector<Way> ways;
    std::vector<Direction> directions;
  };

  static Plan plan_for(int rows);
  void sum_ways(const EvidenceMap& map, bool flat);
  float* way_row(int strip, std::size_t way, bool flat) {
    const std::size_t index =
        static_cast<std::size_t>(strip) * plans_[flat ? 1 : 0].ways.size() + way;
    return way_sums_.data() + index * way_length_;
  }

  ImageFrame frame_;
  std::array<Plan, 2> plans_;     // for steep lines and for flat ones
  std::size_t way_length_ = 0;    // columns from -kRows to kRows beyond the last
  std::vector<float> way_sums_;   // of every strip and way
  std::vector<float> zeros_;      // a row outside the image
  std::vector<float> quad_sums_;  // of four rows
  std::vector<float> sums_;
  std::vector<float> runs_;  // of the pieces that are still being extended
};

}  // namespace vsmax
