// SPDX-License-Identifier: Apache-2.0
// Internal: AdamW's settings, and what they come to at a given step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vsmax {

struct AdamWSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 1e-4;
  double clip = 0.0;     // greatest norm of the gradient; 0: none
  double average = 0.0;  // decay of the running mean of the parameters; 0: none
};

inline constexpr double kAdamWEpsilon = 1e-8;

// Everything about a step that the step before does not share.
struct AdamWNumbers {
  double decay = 0.0;  // what is left of the values
  double rate = 0.0;   // the learning rate, corrected for means that began at 0
  double root = 0.0;   // the same correction of the squares' root
  double share = 0.0;  // of the new values in their running mean
};

// `step` counts from 1.
inline AdamWNumbers adamw_numbers(const AdamWSettings& settings, std::int64_t step,
                                  double learning_rate) {
  const auto count = static_cast<double>(step);
  return {1.0 - learning_rate * settings.weight_decay,
          learning_rate / (1.0 - std::pow(settings.beta1, count)),
          std::sqrt(1.0 - std::pow(settings.beta2, count)),
          // Large at first, so that the mean soon forgets the initial weights.
          1.0 - std::min(settings.average, count / (count + 9.0))};
}

}  // namespace vsmax
