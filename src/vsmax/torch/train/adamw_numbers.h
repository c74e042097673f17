// SPDX-License-Identifier: Apache-2.0
// Internal: AdamW's settings, and the numbers that follow from them at a given step.
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

// Everything that changes from step to step, apart from the gradient.
struct AdamWNumbers {
  double decay = 0.0;  // factor of the values, for weight decay
  double rate = 0.0;   // the learning rate, with the bias correction of the means
  double root = 0.0;   // bias correction of the squares' root
  double share = 0.0;  // weight of the new values in their running mean
};

// `step` counts from 1.
inline AdamWNumbers adamw_numbers(const AdamWSettings& settings, std::int64_t step,
                                  double learning_rate) {
  const auto count = static_cast<double>(step);
  return {1.0 - learning_rate * settings.weight_decay,
          learning_rate / (1.0 - std::pow(settings.beta1, count)),
          std::sqrt(1.0 - std::pow(settings.beta2, count)),
          // Large at first, so that the running mean soon forgets the initial weights.
          1.0 - std::min(settings.average, count / (count + 9.0))};
}

}  // namespace vsmax
