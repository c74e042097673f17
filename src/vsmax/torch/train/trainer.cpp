// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/torch/train/adamw.h"
#include "vsmax/torch/train/batch.h"
#include "vsmax/torch/train/run_folder.h"
#include "vsmax/torch/train/step_losses.h"
#include "vsmax/torch/train/training_set.h"

namespace vsmax {
namespace {

// Counts the seconds since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

PlateauState initial_schedule(const TrainConfig& config) {
  PlateauState state;
  state.learning_rate = config.learning_rate;
  return state;
}

class Trainer {
 public:
  Trainer(LineModel& model, torch::Device device, const TrainConfig& config,
          const TrainOptions& options, TrainObserver& observer)
      : model_(model),
        device_(device),
        config_(config),
        options_(options),
        observer_(observer),
        grid_(config.grid()),
        set_(config),
        schedule_(config.schedule, initial_schedule(config)),
        stopping_(config.early_stopping, {}),
        folder_(options.out, options.resume) {
    std::optional<Checkpoint> saved;
    if (options.resume) saved = folder_.load_checkpoint();
    if (saved) require_same_settings(*saved, config, folder_.checkpoint_path());
    if (saved) model.load_weights(saved->weights, folder_.checkpoint_path());
    optimiser_ = std::make_unique<AdamW>(
        model.parameters(), AdamWSettings{config.betas[0], config.betas[1], config.weight_decay});
    if (saved) optimiser_->restore(saved->optimiser, folder_.checkpoint_path());
    folder_.begin(config, saved ? &*saved : nullptr);
    if (saved) resume_from(std::move(*saved));
    if (options.resume && state_.epoch == 0)
      observer.on_note(options.out + " holds no checkpoint yet: starting from the beginning");
    state_.settings = settings_of(config);
    state_.device = options.device;
    state_.threads = resolve_threads(options.threads);
  }

  TrainOutcome run() {
    double longest_epoch = 0.0;
    while (true) {
      if (stopping_.stops()) return outcome(TrainEnd::kEarlyStopping);
      if (state_.epoch >= config_.max_epochs) return outcome(TrainEnd::kMaxEpochs);
      if (observer_.wants_stop()) return outcome(TrainEnd::kStopped);
      if (clock_.seconds() + longest_epoch > options_.time_limit)
        return outcome(TrainEnd::kTimeLimit);
      const Stopwatch epoch_clock;
      if (const auto end = one_epoch(epoch_clock)) return outcome(*end);
      longest_epoch = std::max(longest_epoch, epoch_clock.seconds());
    }
  }

 private:
  void resume_from(Checkpoint saved) {
    const int threads = resolve_threads(options_.threads);
    if (saved.device != options_.device || saved.threads != threads)
      observer_.on_note(fmt::format(
          "the run so far used {} with {} threads and continues on {} with {}: its last bits will "
          "differ from those of an uninterrupted run",
          saved.device, saved.threads, options_.device, threads));
    schedule_ = PlateauSchedule(config_.schedule, saved.schedule);
    stopping_ = EarlyStopping(config_.early_stopping, saved.early_stopping);
    state_ = std::move(saved);
  }

  // One epoch up to its checkpoint; returns why the run ends, if it ends before that.
  std::optional<TrainEnd> one_epoch(const Stopwatch& clock) {
    const int epoch = state_.epoch + 1;
    EpochRecord record;
    record.epoch = epoch;
    record.learning_rate = schedule_.learning_rate();
    if (const auto end = train_epoch(epoch, clock, record.train_loss)) return end;
    record.images_per_second = static_cast<double>(set_.steps() * batch_size()) / clock.seconds();
    record.validation_loss = validate(epoch);
    schedule_.observe(record.validation_loss);
    stopping_.observe(record.validation_loss);

    state_.epoch = epoch;
    state_.weights = model_.weights();
    record.best = state_.best_epoch == 0 || record.validation_loss < state_.best_loss;
    if (record.best) {
      state_.best_epoch = epoch;
      state_.best_loss = record.validation_loss;
      state_.best_weights = state_.weights;
    }
    state_.optimiser = optimiser_->state();
    state_.schedule = schedule_.state();
    state_.early_stopping = stopping_.state();
    record.seconds = clock.seconds();
    folder_.save_epoch(record, state_);
    validation_loss_ = record.validation_loss;
    observer_.on_epoch(record);
    return std::nullopt;
  }

  std::optional<TrainEnd> train_epoch(int epoch, const Stopwatch& clock, double& mean_loss) {
    model_.train_mode(true);
    StepLosses losses(device_);
    const std::size_t steps = set_.steps();
    for (std::size_t step = 0; step < steps; ++step) {
      const auto samples = set_.training_batch(static_cast<std::uint32_t>(epoch), step);
      const Batch batch = render_batch(grid_, samples, device_);
      optimiser_->forget_gradients();
      const torch::Tensor loss = model_.loss(batch.images, batch.truth);
      loss.backward();
      optimiser_->step(schedule_.learning_rate());
      losses.add(loss.detach(), optimiser_->sum_of_squares());
      const bool stop = observer_.wants_stop();
      const bool late = clock_.seconds() > options_.time_limit;
      if (losses.full() || step + 1 == steps || stop || late) {
        if (const auto bad = losses.read()) fail_on_training_batch(epoch, *bad);
        observer_.on_step({epoch, config_.max_epochs, step + 1, steps, losses.mean(),
                           validation_loss_, schedule_.learning_rate(),
                           clock.seconds() * static_cast<double>(steps - step - 1) /
                               static_cast<double>(step + 1)});
      }
      if (stop) return TrainEnd::kStopped;
      if (late) return TrainEnd::kTimeLimit;
    }
    mean_loss = losses.mean();
    return std::nullopt;
  }

  double validate(int epoch) {
    const torch::NoGradGuard no_grad;
    model_.train_mode(false);
    const std::size_t count = set_.validation_samples();
    std::vector<torch::Tensor> losses;
    std::vector<double> sizes;
    for (std::size_t begin = 0; begin < count; begin += batch_size()) {
      const std::size_t end = std::min(begin + batch_size(), count);
      const Batch batch = render_batch(grid_, set_.validation_batch(begin, end), device_);
      losses.push_back(model_.loss(batch.images, batch.truth).to(torch::kFloat64));
      sizes.push_back(static_cast<double>(end - begin));
    }
    const torch::Tensor read = torch::stack(losses).to(torch::kCPU);
    double sum = 0.0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double loss = read.data_ptr<double>()[i];
      if (!std::isfinite(loss)) {
        const std::size_t begin = i * batch_size();
        fail(
            set_.validation_batch(begin, std::min(begin + batch_size(), count)),
            fmt::format("the validation loss after epoch {}, batch {}, is {}", epoch, i + 1, loss));
      }
      sum += loss * sizes[i];
    }
    return sum / static_cast<double>(count);
  }

  [[noreturn]] void fail_on_training_batch(int epoch, const BadStep& bad) {
    fail(set_.training_batch(static_cast<std::uint32_t>(epoch), bad.step),
         fmt::format("the {} of epoch {}, step {}, is {}", bad.what, epoch, bad.step + 1,
                     bad.value));
  }

  [[noreturn]] void fail(const std::vector<TrainingSample>& samples, const std::string& what) {
    save_batch(folder_.nan_batch_path(), grid_, samples, device_);
    throw Error(
        fmt::format("training stopped: {}; its batch is in {}", what, folder_.nan_batch_path()));
  }

  std::size_t batch_size() const { return static_cast<std::size_t>(config_.batch); }

  TrainOutcome outcome(TrainEnd end) const {
    return {end, state_.epoch, state_.best_epoch, state_.best_loss};
  }

  LineModel& model_;
  torch::Device device_;
  const TrainConfig& config_;
  const TrainOptions& options_;
  TrainObserver& observer_;
  HoughGrid grid_;
  TrainingSet set_;
  PlateauSchedule schedule_;
  EarlyStopping stopping_;
  RunFolder folder_;
  std::unique_ptr<AdamW> optimiser_;
  Checkpoint state_;  // of the last completed epoch
  std::optional<double> validation_loss_;
  Stopwatch clock_;
};

}  // namespace

TrainOutcome train_model(LineModel& model, torch::Device device, const TrainConfig& config,
                         const TrainOptions& options, TrainObserver& observer) {
  return Trainer(model, device, config, options, observer).run();
}

}  // namespace vsmax
