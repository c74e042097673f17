// SPDX-License-Identifier: Apache-2.0
// The choice of a model by its own confidence. Every model of this library states the EA-score it
// expects of its line, so the answers of different models to one image can be compared.
#pragma once

#include <string>
#include <vector>

#include "vsmax/recover/line_recoverer.h"

namespace vsmax {

struct ChosenRecovery {
  Recovery recovery;
  std::string model;  // whose answer it is
};

// One per thread, like LineRecoverer.
class AutoRecoverer {
 public:
  // The built-in models that choose between thin lines and steps.
  static std::vector<Model> builtin_candidates();

  // Throws Error without a candidate.
  explicit AutoRecoverer(std::vector<Model> candidates = builtin_candidates(), int threads = 1);

  // The answer with the most confident line; of equals, that of the earlier candidate. Without any
  // line, the answer of the first. `trace` is that of the chosen model.
  ChosenRecovery operator()(const ImageView& image, RecoveryTrace* trace = nullptr);

 private:
  std::vector<LineRecoverer> candidates_;
};

}  // namespace vsmax
