// SPDX-License-Identifier: Apache-2.0
// The ceiling of every method on synthetic lines: the exact posterior over the grid's lines for an
// image rendered by data/synthetic.h, given the standard deviation of the noise (Eq. 31, 32).
//
// It yields three estimates. The cell of highest expected EA (Eq. 33) bounds the mean EA of any
// estimator that answers with one of the grid's lines. Its expectation runs over the heaviest cells
// until they hold kMass of the probability, at most kMostCells of them, and over all cells as
// answers, so it falls short of the true maximum by at most the mass left out (EA lies in [0, 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/ceiling/cell_scores.h"
#include "vsmax/geometry/embedded_line.h"
#include "vsmax/hough/grid.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {

struct PosteriorEstimates {
  PixelLine maximum;        // the most probable cell, the first of equals
  PixelLine barycentre;     // the line of the mean Veronese embedding (Eq. 17, 21)
  PixelLine best_expected;  // the cell of highest expected EA
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

  // Memory that a call needs and the next one reuses; one per thread.
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
  PixelLine barycentre_line(const std::vector<double>& log_probabilities) const;

  HoughGrid grid_;
  std::vector<Cell> cells_;
  std::vector<LineEmbedding> embeddings_;  // of each cell
  std::vector<std::uint32_t> pixels_;      // that each cell's line covers, one after the other
  std::vector<std::size_t> ends_;          // of each cell's pixels
  CellScores scores_;
};

}  // namespace vsmax
