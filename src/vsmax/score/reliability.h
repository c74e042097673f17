// SPDX-License-Identifier: Apache-2.0
// Whether a model's statements about its own errors are true.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vsmax/score/image_evaluation.h"

namespace vsmax {

// Whether the true line lies in the intervals of an answer's spread, or the share of the answers
// for which it does.
struct Coverage {
  double theta_68 = 0.0;
  double theta_95 = 0.0;
  double rho_68 = 0.0;
  double rho_95 = 0.0;
};

// Empty for an answer without a spread.
std::optional<Coverage> coverage_of(const RecoveredLine& answer, PixelLine truth);

struct Reliability {
  Calibration calibration;  // of the confidence (docs/data.md)
  // The probability that a line which was found has a higher confidence than one that was lost (EA
  // below 0.4); empty if none was lost, or none found.
  std::optional<double> auroc;
  std::optional<Coverage> coverage;  // of the answers with a spread; empty if there are none
};

Reliability reliability_of(std::span<const LineScore> scores,
                           std::span<const std::optional<Coverage>> covered);

}  // namespace vsmax
