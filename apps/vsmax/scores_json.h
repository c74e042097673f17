// SPDX-License-Identifier: Apache-2.0
// Scores as JSON: summaries, and EA per cell of the grid and per angle, what the paper colours its
// maps by.
#pragma once

#include <nlohmann/json.hpp>

#include "vsmax/score/evaluation.h"

namespace vsmax::app {

nlohmann::ordered_json summary_json(const ScoreSummary& summary);

// For an evaluation on the grid's own lines: "cells", T rows of R values with null where no line
// can be seen, and "theta", one summary an angle.
nlohmann::ordered_json cells_json(const HoughGrid& grid, const Evaluation& evaluation);

}  // namespace vsmax::app
