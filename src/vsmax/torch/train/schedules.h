// SPDX-License-Identifier: Apache-2.0
// When the learning rate falls, and when training ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace vsmax {

// torch.optim.lr_scheduler.ReduceLROnPlateau with mode "min", a relative threshold and no cooldown,
// which LibTorch 1.13 lacks.
struct PlateauSettings {
  double factor = 0.1;
  int patience = 10;
  double threshold = 1e-4;  // relative
};

// Its state, for the checkpoint.
struct PlateauState {
  double learning_rate = 0.0;
  double best = std::numeric_limits<double>::infinity();
  int bad_epochs = 0;
};

class PlateauSchedule {
 public:
  PlateauSchedule(const PlateauSettings& settings, const PlateauState& state)
      : settings_(settings), state_(state) {}

  const PlateauState& state() const { return state_; }
  double learning_rate() const { return state_.learning_rate; }

  // Once per epoch, with its validation loss.
  void observe(double loss) {
    if (loss < state_.best * (1.0 - settings_.threshold)) {
      state_.best = loss;
      state_.bad_epochs = 0;
    } else {
      ++state_.bad_epochs;
    }
    if (state_.bad_epochs <= settings_.patience) return;
    constexpr double kLeastChange = 1e-8;  // PyTorch's `eps`: smaller reductions are not made
    const double reduced = state_.learning_rate * settings_.factor;
    if (state_.learning_rate - reduced > kLeastChange) state_.learning_rate = reduced;
    state_.bad_epochs = 0;
  }

 private:
  PlateauSettings settings_;
  PlateauState state_;
};

// Half a cosine that falls to 0, times a linear warm-up over the first steps.
struct CosineSettings {
  int epochs = 0;   // until the cosine reaches 0; 0: no cosine
  int warm_up = 0;  // steps
};

// The factor of the learning rate at a step, counted from the start of the run.
inline double cosine_factor(const CosineSettings& settings, std::size_t step,
                            std::size_t steps_per_epoch) {
  double factor = 1.0;
  if (settings.warm_up > 0)
    factor = std::min(1.0, static_cast<double>(step + 1) / settings.warm_up);
  if (settings.epochs == 0) return factor;
  const double all = static_cast<double>(settings.epochs) * static_cast<double>(steps_per_epoch);
  const double done = std::min(1.0, static_cast<double>(step) / all);
  return factor * (0.5 + 0.5 * std::cos(std::numbers::pi * done));
}

// Training ends when the loss has not fallen by an absolute amount for some epochs, as PyTorch
// Lightning's EarlyStopping counts them.
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
