// SPDX-License-Identifier: Apache-2.0
// The posterior of the lines near a given one, on a grid that is fitted to it (Eq. 52).
#pragma once

#include <optional>
#include <vector>

#include "vsmax/posterior/chord_line.h"
#include "vsmax/posterior/evidence_map.h"

namespace vsmax {

// Lines are parametrised, in pixels, by where they cross the middle of the chord (or of the piece)
// and how much further they move up to its end. Unlike offset and slope, the two are nearly
// independent.
class PosteriorWindow {
 public:
  // The window around a line that meets the image, `reach` pixels to either side in both
  // parameters. With a piece, lines are summed over its rows only.
  PosteriorWindow(const ImageFrame& frame, const ChordLine& line, double reach,
                  std::optional<MapRows> piece = std::nullopt);

  // evaluate() computes the posterior on the grid; step() then moves and scales the grid to fit it,
  // and returns false once the grid fits or after too many rounds. Evaluate again after true.
  void evaluate(const EvidenceMap& map);
  bool step();

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
  double middle_ = 0.0;        // centre of the window: v at the middle of the chord, and how
  double end_ = 0.0;           // much further v has moved at its end
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
