// SPDX-License-Identifier: Apache-2.0
// Training ends when the validation loss has not fallen by an absolute amount for some epochs, as
// PyTorch Lightning's EarlyStopping counts them.
#pragma once

#include <limits>

namespace vsmax {

struct EarlyStoppingSettings {
  int patience = 20;
  double min_delta = 1e-4;  // absolute
};

// Its state, for the checkpoint.
struct EarlyStoppingState {
  double best = std::numeric_limits<double>::infinity();
  int waited = 0;
};

class EarlyStopping {
 public:
  EarlyStopping(const EarlyStoppingSettings& settings, const EarlyStoppingState& state)
      : settings_(settings), state_(state) {}

  const EarlyStoppingState& state() const { return state_; }
  bool stops() const { return state_.waited >= settings_.patience; }

  // Once per epoch, with its validation loss.
  void observe(double loss) {
    if (loss + settings_.min_delta < state_.best) {
      state_.best = loss;
      state_.waited = 0;
    } else {
      ++state_.waited;
    }
  }

 private:
  EarlyStoppingSettings settings_;
  EarlyStoppingState state_;
};

}  // namespace vsmax
