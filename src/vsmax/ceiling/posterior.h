// SPDX-License-Identifier: Apache-2.0
// The ceiling of every method on synthetic lines: the exact posterior over the grid's lines for an
// image rendered by data/synthetic.h, given the standard deviation of the noise (Eq. 31, 32).
//
// It yields three estimates. The cell of highest expected EA (Eq. 33) bounds the mean EA of any
// estimator that answers with one of the grid's lines. Every cell is a possible answer, but the
// expectation runs only over the heaviest cells, up to kMass of the probability and at most
// kMostCells of them, so it falls short of the true maximum by at most the mass left out (EA lies
// in [0, 1]).
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
  PixelLine maximum;        // the most probable cell, the first one in case of a tie
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

  // Working memory, reused from call to call; one per thread.
  struct Scratch {
    std::vector<double> evidence;  // of each pixel
    std::vector<double> log_probabilities;
    std::vector<WeightedCell> distribution;
    std::vector<WeightedCell> candidates;
  };

  // The log probability of each of cells() under noise of deviation sigma; the result lives in
  // `scratch`. Throws Error for an image whose size is not the grid's, or an impossible sigma.
  const std::vector<double>& log_probabilities(const GrayImage& image, double sigma,
                                               Scratch& scratch) const;

  PosteriorEstimates operator()(const GrayImage& image, double sigma, Scratch& scratch) const;

 private:
  PixelLine barycentre_line(const std::vector<double>& log_probabilities) const;

  HoughGrid grid_;
  std::vector<Cell> cells_;
  std::vector<LineEmbedding> embeddings_;  // of each cell
  std::vector<std::uint32_t> pixels_;      // covered by each cell's line, concatenated
  std::vector<std::size_t> ends_;          // of each cell's pixels in pixels_
  CellScores scores_;
};

}  // namespace vsmax
