// SPDX-License-Identifier: Apache-2.0
// The mean EA of a model over synthetic lines, as the paper reports it: over all lines, over the
// seam (the first five and the last five of 127 angles) and over the interior.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "vsmax/data/synthetic.h"
#include "vsmax/hough/grid.h"
#include "vsmax/recover/model.h"
#include "vsmax/score/reliability.h"

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
  std::vector<PixelLine> lines;  // the truth
  std::vector<double> scores;    // EA of each
  ScoreSummary all;
  ScoreSummary seam;
  ScoreSummary interior;
  std::optional<Reliability> reliability{};  // of a model's confidences, if it states any
};

struct EvaluationOptions {
  HoughGrid grid = HoughGrid::paper();
  LineSet lines = LineSet::kGrid;
  std::uint64_t seed = 42;
  int threads = 0;
  Stroke stroke{};         // how the lines are drawn
  std::size_t sample = 0;  // score only this many lines, spread evenly over all; 0: all
  int near_seam = 0;       // kGrid only: lines within this many angles of theta = 0; 0: all
};

// Whether a line counts as seam: in the first five or the last five of 127 angles.
bool on_seam(PixelLine line);

// Called after every line with the number done. If it returns false, the evaluation throws
// Interrupted.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

struct Interrupted {};

// The same result for any number of threads.
Evaluation evaluate(const Model& model, double sigma, const EvaluationOptions& options,
                    const Progress& progress = {});

}  // namespace vsmax
