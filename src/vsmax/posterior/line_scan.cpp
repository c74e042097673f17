// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/line_scan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "vsmax/posterior/sum_kernels.h"

namespace vsmax {
namespace {

constexpr int kPhases = 2;

// The number of slopes between upright and diagonal: one step moves the line's ends by a pixel.
int steepest_of(int rows) { return std::max(1, rows / 2); }

}  // namespace

LineScan::Plan LineScan::plan_for(int rows) {
  Plan plan;
  plan.strips = (rows + kRows - 1) / kRows;
  const double half = 0.5 * (rows - 1);
  const int steepest = steepest_of(rows);
  std::map<Way, std::uint16_t> numbers;
  plan.directions.reserve((2 * static_cast<std::size_t>(steepest) + 1) * kPhases);
  for (int j = -steepest; j <= steepest; ++j)
    for (int p = 0; p < kPhases; ++p) {
      Direction direction{static_cast<double>(j) / steepest, static_cast<double>(p) / kPhases, {}};
      direction.steps.reserve(static_cast<std::size_t>(plan.strips));
      // The column of the pixel nearest to the line of offset index 0.
      const auto column = [&](int row) {
        return static_cast<int>(std::floor(direction.phase - direction.slope * (row - half) + 0.5));
      };
      for (int strip = 0; strip < plan.strips; ++strip) {
        const int first = column(strip * kRows);
        Way way{};
        for (int k = 0; k < kRows; ++k)
          way[static_cast<std::size_t>(k)] =
              static_cast<std::int8_t>(column(strip * kRows + k) - first);
        const auto [entry, is_new] =
            numbers.try_emplace(way, static_cast<std::uint16_t>(plan.ways.size()));
        if (is_new) plan.ways.push_back(way);
        direction.steps.push_back({entry->second, static_cast<std::int16_t>(first)});
      }
      plan.directions.push_back(std::move(direction));
    }
  return plan;
}

LineScan::LineScan(const ImageFrame& frame)
    : frame_(frame), plans_{plan_for(frame.height), plan_for(frame.width)} {}

void LineScan::sum_ways(const EvidenceMap& map, bool flat) {
  const Plan& plan = plans_[flat ? 1 : 0];
  const int rows = map.rows(flat);
  way_length_ = static_cast<std::size_t>(map.columns(flat)) + 2 * static_cast<std::size_t>(kRows);
  way_sums_.resize(static_cast<std::size_t>(plan.strips) * plan.ways.size() * way_length_);
  zeros_.assign(way_length_ + 2 * static_cast<std::size_t>(kRows), 0.0F);
  static_assert(EvidenceMap::kMargin >= 2 * kRows);  // ways reach that far beyond the image
  quad_sums_.resize(way_length_);
  for (int strip = 0; strip < plan.strips; ++strip)
    for (std::size_t w = 0; w < plan.ways.size(); ++w) {
      const Way& way = plan.ways[w];
      std::array<const float*, kRows> from{};
      for (int k = 0; k < kRows; ++k) {
        const int row = strip * kRows + k;
        from[static_cast<std::size_t>(k)] =
            row < rows ? map.row(flat, row) - kRows + way[static_cast<std::size_t>(k)]
                       : zeros_.data();
      }
      float* sum = way_row(strip, w, flat);
      sum_four_rows({from[0], from[1], from[2], from[3]}, way_length_, sum);
      sum_four_rows({from[4], from[5], from[6], from[7]}, way_length_, quad_sums_.data());
      sum_two_rows(sum, quad_sums_.data(), way_length_, sum);
    }
}

void LineScan::operator()(const EvidenceMap& map, LineExtent extent, const Visit& visit) {
  for (const bool flat : {false, true}) {
    sum_ways(map, flat);
    const HalfSides half = half_sides(frame_, flat);
    // Offset indices whose column lies in [-kRows, columns + kRows) in at least one strip.
    const int margin = map.rows(flat) / 2 + 2 * kRows + 2;
    sums_.resize(static_cast<std::size_t>(map.columns(flat)) +
                 2 * static_cast<std::size_t>(margin));
    const double log_cell = -std::log(static_cast<double>(kPhases) * steepest_of(map.rows(flat)));
    for (const Direction& direction : plans_[flat ? 1 : 0].directions) {
      std::fill(sums_.begin(), sums_.end(), 0.0F);
      if (extent == LineExtent::kPiece) runs_.assign(sums_.size(), 0.0F);
      int strip = 0;
      for (const Step& step : direction.steps) {
        const float* way = way_row(strip++, step.way, flat);
        const std::ptrdiff_t place = margin - kRows - step.column;
        float* sums = sums_.data() + place;
        if (extent == LineExtent::kPiece)
          extend_runs(way, way_length_, runs_.data() + place, sums);
        else
          sum_two_rows(sums, way, way_length_, sums);
      }
      // |offset| < half.v + half.u |slope|, where offset = i - margin - half.v + phase (Eq. 8).
      const double reach = half.v + half.u * std::abs(direction.slope);
      const double origin = direction.phase - half.v - margin;
      const int first = static_cast<int>(std::floor(-reach - origin)) + 1;
      const int last = static_cast<int>(std::ceil(reach - origin)) - 1;
      if (last < first) continue;
      visit({flat, direction.slope, origin + first, log_cell,
             std::span(sums_.data() + first, sums_.data() + last + 1)});
    }
  }
}

}  // namespace vsmax
