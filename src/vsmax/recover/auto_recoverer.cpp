// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/auto_recoverer.h"

#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

// Below any confidence, for an answer without a line.
double confidence_of(const Recovery& recovery) {
  return recovery.lines.empty() ? -1.0 : recovery.lines.front().confidence;
}

}  // namespace

std::vector<Model> AutoRecoverer::builtin_candidates() {
  return {load_model("classic"), load_model("edges")};
}

AutoRecoverer::AutoRecoverer(std::vector<Model> candidates, int threads) {
  if (candidates.empty()) throw Error("there is no model to choose from");
  for (Model& model : candidates) candidates_.emplace_back(std::move(model), threads);
}

ChosenRecovery AutoRecoverer::operator()(const ImageView& image, RecoveryTrace* trace) {
  ChosenRecovery best;
  RecoveryTrace own;
  for (LineRecoverer& recover : candidates_) {
    Recovery recovery = recover(image, trace == nullptr ? nullptr : &own);
    if (!best.model.empty() && confidence_of(recovery) <= confidence_of(best.recovery)) continue;
    best = {std::move(recovery), recover.model().name};
    if (trace != nullptr) *trace = std::move(own);
  }
  return best;
}

}  // namespace vsmax
