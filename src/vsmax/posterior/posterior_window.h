// SPDX-License-Identifier: Apache-2.0
// The posterior of the lines near a given one, on a grid that is fitted to it (Eq. 52).
#pragma once

#include <optional>
#include <vector>

#include "vsmax/posterior/chord_line.h"
#include "vsmax/posterior/evidence_map.h"

namespace vsmax {

// Lines are told apart by where they cross the middle of the chord (or of the piece) and its end,
// in pixels: the two hardly depend on each other, which offset and slope do.
class PosteriorWindow {
 public:
  // Around a line that meets the image, to `reach` pixels on all sides. A piece of a line has only
  // these rows.
  PosteriorWindow(const ImageFrame& frame, const ChordLine& line, double reach,
                  std::optional<MapRows> piece = std::nullopt);

  // Evaluates the grid, and moves and scales it until it holds the posterior and little else.
  void evaluate(const EvidenceMap& map);
  bool step();  // false once it does, or was tried often enough

  // Whether a line lies in the window, or within `reach` pixels of its centre.
  bool holds(const ChordLine& line) const { return within(line, range_middle_, range_end_); }
  bool near(const ChordLine& line, double reach) const { return within(line, reach, reach); }

  const std::optional<MapRows>& piece() const { return piece_; }
  double log_mass() const { return log_mass_; }  // the integral over the window
  int rounds() const { return rounds_; }
  ChordLine mean() const { return line_at(mean_middle_, mean_end_); }

  // Calls body(column, row, weight) for every cell; the weights add up to 1.
  template <class Body>
  void for_each_cell(const Body& body) const {
    auto weight = weights_.begin();
    for (int row = 0; row < kSide; ++row)
      for (int column = 0; column < kSide; ++column) body(column, row, *weight++);
  }
  ChordLine cell(double column, double row) const {
    return line_at(middle_ + range_middle_ * place(column), end_ + range_end_ * place(row));
  }

 private:
  static constexpr int kSide = 25;  // cells in either direction

  static double place(double index) { return 2.0 * index / (kSide - 1) - 1.0; }
  ChordLine line_at(double middle, double end) const {
    const double slope = -end / chord_half_;
    return {flat_, middle + slope * chord_middle_, slope};
  }
  bool within(const ChordLine& line, double middle, double end) const;
  MapRows rows_touched(const EvidenceMap& map) const;

  bool flat_;
  HalfSides half_;
  std::optional<MapRows> piece_;
  double chord_middle_ = 0.0;  // along u
  double chord_half_ = 1.0;    // half its length
  double middle_ = 0.0;        // the centre of the window: v at the chord's middle, and how much
  double end_ = 0.0;           // further it is at its end
  double range_middle_;
  double range_end_;

  std::vector<double> weights_;
  double log_mass_ = 0.0;
  double mean_middle_ = 0.0;
  double mean_end_ = 0.0;
  double spread_middle_ = 0.0;  // standard deviations
  double spread_end_ = 0.0;
  double peak_middle_ = 0.0;  // the heaviest cell
  double peak_end_ = 0.0;
  int rounds_ = 0;
};

}  // namespace vsmax
