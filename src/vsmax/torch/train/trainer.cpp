// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/torch/train/adamw.h"
#include "vsmax/torch/train/batch_source.h"
#include "vsmax/torch/train/run_folder.h"
#include "vsmax/torch/train/step_losses.h"

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
        source_(open_source(config, options.data, device)),
        schedule_(config.schedule, initial_schedule(config)),
        stopping_(config.early_stopping, {}),
        folder_(options.out, options.resume) {
    std::optional<Checkpoint> saved;
    if (options.resume) saved = folder_.load_checkpoint();
    if (saved) require_same_settings(*saved, config, folder_.checkpoint_path());
    if (saved && !saved->data.empty() && saved->data != source_->data_digest())
      throw Error(fmt::format("{}: is of a run on other photographs or labels than those of {}",
                              folder_.checkpoint_path(), options.data));
    if (saved) model.load_weights(saved->weights, folder_.checkpoint_path());
    optimiser_ = std::make_unique<AdamW>(
        model.parameters(), AdamWSettings{config.betas[0], config.betas[1], config.weight_decay,
                                          config.clip, config.average});
    if (saved) optimiser_->restore(saved->optimiser, folder_.checkpoint_path());
    folder_.begin(config, saved ? &*saved : nullptr);
    if (saved) resume_from(std::move(*saved));
    if (options.resume && state_.epoch == 0)
      observer.on_note(options.out + " holds no checkpoint yet: starting from the beginning");
    state_.settings = settings_of(config);
    state_.data = source_->data_digest();
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
          "the run so far used {} with {} and continues on {} with {}: its last bits will "
          "differ from those of an uninterrupted run",
          saved.device, counted(saved.threads, "thread"), options_.device, threads));
    schedule_ = PlateauSchedule(config_.schedule, saved.schedule);
    stopping_ = EarlyStopping(config_.early_stopping, saved.early_stopping);
    state_ = std::move(saved);
  }

  // One epoch up to its checkpoint; returns why the run ends, if it ends before that.
  std::optional<TrainEnd> one_epoch(const Stopwatch& clock) {
    const int epoch = state_.epoch + 1;
    EpochRecord record;
    record.epoch = epoch;
    record.learning_rate = learning_rate(epoch, 0);
    if (const auto end = train_epoch(epoch, clock, record.train_loss)) return end;
    record.images_per_second =
        static_cast<double>(source_->steps()) * config_.batch / clock.seconds();
    state_.weights = model_.weights();
    {
      const AdamW::UseAverage use(*optimiser_);  // what is validated is what is kept
      record.validation_loss = validate(epoch);
      record.best = state_.best_epoch == 0 || record.validation_loss < state_.best_loss;
      if (record.best) state_.best_weights = model_.weights();
    }
    schedule_.observe(record.validation_loss);
    stopping_.observe(record.validation_loss);

    state_.epoch = epoch;
    if (record.best) {
      state_.best_epoch = epoch;
      state_.best_loss = record.validation_loss;
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
    const std::size_t steps = source_->steps();
    for (std::size_t step = 0; step < steps; ++step) {
      const Batch batch = source_->training(epoch, step);
      const double rate = learning_rate(epoch, step);
      optimiser_->forget_gradients();
      const torch::Tensor loss = model_.loss(batch.images, batch.truth);
      loss.backward();
      optimiser_->step(rate);
      losses.add(loss.detach(), optimiser_->sum_of_squares());
      const bool stop = observer_.wants_stop();
      const bool late = clock_.seconds() > options_.time_limit;
      if (losses.full() || step + 1 == steps || stop || late) {
        if (const auto bad = losses.read()) fail_on_training_batch(epoch, *bad);
        observer_.on_step({epoch, config_.max_epochs, step + 1, steps, losses.mean(),
                           validation_loss_, rate,
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
    std::vector<torch::Tensor> losses;
    std::vector<double> sizes;
    double count = 0.0;
    for (std::size_t i = 0; i < source_->validation_batches(); ++i) {
      const Batch batch = source_->validation(i);
      losses.push_back(config_.selection == Selection::kScore
                           ? torch::tensor(1.0 - mean_score(batch), torch::kFloat64)
                           : model_.loss(batch.images, batch.truth).to(torch::kFloat64));
      sizes.push_back(static_cast<double>(batch.images.size(0)));
      count += sizes.back();
    }
    const torch::Tensor read = torch::stack(losses).to(torch::kCPU);
    double sum = 0.0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double loss = read.data_ptr<double>()[i];
      if (!std::isfinite(loss)) {
        source_->save_validation(folder_.nan_batch_path(), i);
        fail(
            fmt::format("the validation loss after epoch {}, batch {}, is {}", epoch, i + 1, loss));
      }
      sum += loss * sizes[i];
    }
    return sum / count;
  }

  double mean_score(const Batch& batch) {
    const ImageFrame& frame = model_.grid().frame();
    const PredictedLines found = model_.predict(batch.images);
    const torch::Tensor truth = batch.truth.to(torch::kCPU, torch::kFloat64).contiguous();
    double sum = 0.0;
    for (std::int64_t i = 0; i < truth.size(0); ++i) {
      if (!found.found.data_ptr<bool>()[i]) continue;
      const double* line = truth.data_ptr<double>() + 2 * i;
      sum +=
          ea_score(pixel_from_unit(
                       {found.theta.data_ptr<double>()[i], found.rho.data_ptr<double>()[i]}, frame),
                   pixel_from_unit({line[0], line[1]}, frame), frame);
    }
    return sum / static_cast<double>(truth.size(0));
  }

  // At a step of an epoch.
  double learning_rate(int epoch, std::size_t step) const {
    if (config_.model.evidence == EvidenceKind::kIntensity) return schedule_.learning_rate();
    const std::size_t steps = source_->steps();
    return config_.learning_rate *
           cosine_factor(config_.cosine, static_cast<std::size_t>(epoch - 1) * steps + step, steps);
  }

  [[noreturn]] void fail_on_training_batch(int epoch, const BadStep& bad) {
    source_->save_training(folder_.nan_batch_path(), epoch, bad.step);
    fail(fmt::format("the {} of epoch {}, step {}, is {}", bad.what, epoch, bad.step + 1,
                     bad.value));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        fmt::format("training stopped: {}; its batch is in {}", what, folder_.nan_batch_path()));
  }

  TrainOutcome outcome(TrainEnd end) const {
    return {end, state_.epoch, state_.best_epoch, state_.best_loss};
  }

  LineModel& model_;
  torch::Device device_;
  const TrainConfig& config_;
  const TrainOptions& options_;
  TrainObserver& observer_;
  std::unique_ptr<BatchSource> source_;
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
