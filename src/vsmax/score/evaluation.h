// SPDX-License-Identifier: Apache-2.0
// The mean EA of a recoverer over synthetic lines, as the paper reports it: over all lines, over
// the seam (the five angles on either side of theta = 0) and over the interior.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {

enum class LineSet {
  kGrid,        // every resolvable cell of the grid, in order
  kContinuous,  // as many lines drawn uniformly, off the grid
};

struct ScoreSummary {
  std::size_t count = 0;
  double mean = 0.0;
  double deviation = 0.0;
};

ScoreSummary summarize(const std::vector<double>& scores);

struct Evaluation {
  std::vector<PolarLine> lines;  // the truth, rho in pixels
  std::vector<double> scores;    // EA of each
  ScoreSummary all;
  ScoreSummary seam;
  ScoreSummary interior;
};

struct EvaluationOptions {
  HoughGrid grid = HoughGrid::paper();
  LineSet lines = LineSet::kGrid;
  std::uint64_t seed = 42;
  int threads = 0;
};

// Whether a line counts to the seam: within five of 127 angles of theta = 0 or pi.
bool on_seam(PolarLine line);

// Called after every line with the number done; return false to stop, which throws Interrupted.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

struct Interrupted {};

// The same result for any number of threads.
Evaluation evaluate(const LineRecoverer& recoverer, double sigma, const EvaluationOptions& options,
                    const Progress& progress = {});

}  // namespace vsmax
