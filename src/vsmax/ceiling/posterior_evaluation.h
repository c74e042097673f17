// SPDX-License-Identifier: Apache-2.0
// The mean EA of the exact posterior's three estimates over the grid's lines.
#pragma once

#include "vsmax/ceiling/posterior.h"
#include "vsmax/score/evaluation.h"

namespace vsmax {

struct PosteriorEvaluation {
  Evaluation maximum;
  Evaluation barycentre;
  Evaluation best_expected;  // the ceiling
};

// The same result for any number of threads. Throws Error unless the options ask for the lines of
// the posterior's own grid, the only ones it knows.
PosteriorEvaluation evaluate(const LinePosterior& posterior, double sigma,
                             const EvaluationOptions& options, const Progress& progress = {});

}  // namespace vsmax
