// SPDX-License-Identifier: Apache-2.0
// The ceiling of every method on synthetic lines: the exact posterior over the grid's lines of an
// image that data/synthetic.h has rendered, the noise's deviation being known (Eq. 31, 32).
//
// Three estimates come of it. The cell of highest expected EA (Eq. 33) bounds the mean EA of any
// estimator that answers with one of the grid's lines: its expectation runs over the heaviest cells
// until they hold kMass of the probability, or kMostCells of them, and over all cells as answers,
// so that it falls short of the highest by at most the mass left out (EA lies in [0, 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/ceiling/cell_scores.h"
#include "vsmax/geometry/veronese.h"
#include "vsmax/hough/grid.h"
#include "vsmax/image/image.h"

namespace vsmax {

struct PosteriorEstimates {
  PolarLine maximum;        // the most probable cell, the first of equals
  PolarLine barycentre;     // the line of the mean Veronese embedding (Eq. 17, 21)
  PolarLine best_expected;  // the cell of highest expected EA
  double mass_left_out = 0.0;
};

// Immutable and safe to share between threads.
class LinePosterior {
 public:
  static constexpr double kMass = 0.9999;
  static constexpr std::size_t kMostCells = 512;

  explicit LinePosterior(const HoughGrid& grid);

  const HoughGrid& grid() const { return grid_; }
  const std::vector<Cell>& cells() const { return cells_; }  // the resolvable ones, in order

  // Memory that a call needs and the next call reuses; one per thread.
  struct Scratch {
    std::vector<double> evidence;  // of each pixel
    std::vector<double> log_probabilities;
    std::vector<WeightedCell> distribution;
    std::vector<WeightedCell> candidates;
  };

  // The log probability of each of cells() under noise of deviation sigma, in the scratch. Throws
  // Error for an image of another size than the grid's, or an impossible sigma.
  const std::vector<double>& log_probabilities(const GrayImage& image, double sigma,
                                               Scratch& scratch) const;

  PosteriorEstimates operator()(const GrayImage& image, double sigma, Scratch& scratch) const;

 private:
  PolarLine barycentre_line(const std::vector<double>& log_probabilities) const;

  HoughGrid grid_;
  std::vector<Cell> cells_;
  std::vector<VeroneseVector<3>> embeddings_;  // of each cell
  std::vector<std::uint32_t> pixels_;          // that each cell's line covers, one after the other
  std::vector<std::size_t> ends_;              // of each cell's pixels
  CellScores scores_;
};

}  // namespace vsmax
