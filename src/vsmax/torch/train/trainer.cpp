// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <optional>

#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/torch/train/adamw.h"
#include "vsmax/torch/train/batch_source.h"
#include "vsmax/torch/train/captured_step.h"
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

// "cpu with 1 thread", "cpu with 2 threads in each of 4 processes"
std::string place_text(const std::string& device, int threads, int processes) {
  std::string text = device + " with " + counted(threads, "thread");
  if (processes > 1) text += fmt::format(" in each of {} processes", processes);
  return text;
}

class Trainer {
 public:
  Trainer(LineModel& model, torch::Device device, const TrainConfig& config,
          const TrainOptions& options, TrainObserver& observer, const ProcessGroup& group)
      : model_(model),
        device_(device),
        config_(config),
        options_(options),
        observer_(observer),
        group_(group),
        source_(open_source(config, options.data, device, {group.rank(), group.size()})),
        schedule_(config.schedule, initial_schedule(config)),
        stopping_(config.early_stopping, {}) {
    if (group.leads()) folder_ = std::make_unique<RunFolder>(options.out, options.resume);
    require_same_work();
    std::optional<Checkpoint> saved = load_checkpoint();
    const std::string path = options.out + "/" + RunFolder::kCheckpoint;
    if (saved) require_same_settings(*saved, config, path);
    if (saved && !saved->data.empty() && saved->data != source_->data_digest())
      throw Error(
          fmt::format("{}: belongs to a run whose photographs or labels differ from those of {}",
                      path, options.data));
    if (saved) model.load_weights(saved->weights, path);
    for (const auto& tensor : model.parameters()) group.broadcast(tensor);
    for (const auto& tensor : model.buffers()) group.broadcast(tensor);
    optimiser_ = std::make_unique<AdamW>(
        model.parameters(), AdamWSettings{config.betas[0], config.betas[1], config.weight_decay,
                                          config.clip, config.average});
    if (saved) optimiser_->restore(saved->optimiser, path);
    if (folder_) folder_->begin(config, saved ? &*saved : nullptr);
    if (saved) resume_from(std::move(*saved));
    if (options.resume && state_.epoch == 0)
      note(options.out + " holds no checkpoint yet: starting from the beginning");
    state_.settings = settings_of(config);
    state_.data = source_->data_digest();
    state_.device = options.device;
    state_.threads = resolve_threads(options.threads);
    state_.processes = group.size();
    captured_ = open_captured_step({model_, *source_, *optimiser_, device_, group_},
                                   [this](const std::string& sentence) { note(sentence); });
  }

  TrainOutcome run() {
    double longest_epoch = 0.0;
    while (true) {
      if (stopping_.stops()) return outcome(TrainEnd::kEarlyStopping);
      if (state_.epoch >= config_.max_epochs) return outcome(TrainEnd::kMaxEpochs);
      const auto [stop, late] =
          group_.any({observer_.wants_stop(),
                      clock_.seconds() + longest_epoch + longest_save_ > options_.time_limit});
      if (stop) return outcome(TrainEnd::kStopped);
      if (late) return outcome(TrainEnd::kTimeLimit);
      const Stopwatch epoch_clock;
      if (const auto end = one_epoch(epoch_clock)) return outcome(*end);
      longest_epoch = std::max(longest_epoch, epoch_clock.seconds());
    }
  }

 private:
  // Every process reads the configuration and the photographs from its own machine.
  void require_same_work() const {
    if (config_.batch < group_.size())
      throw Error(fmt::format("batch (= {}) is smaller than the number of processes, {}",
                              config_.batch, group_.size()));
    const auto require_same = [this](const std::string& mine, const char* what) {
      if (group_.broadcast(mine) != mine)
        throw Error(
            fmt::format("process {} has a different {} from process 0", group_.rank(), what));
    };
    require_same(config_text(config_), "configuration");
    require_same(source_->data_digest(), "set of photographs");
  }

  // The checkpoint that process 0 reads, for all processes.
  std::optional<Checkpoint> load_checkpoint() const {
    std::optional<Checkpoint> saved;
    if (!options_.resume) return saved;
    if (folder_) saved = folder_->load_checkpoint();
    if (group_.alone()) return saved;
    std::string text;
    if (saved) {
      const auto bytes = serialize_safetensors(pack_checkpoint(*saved));
      text.assign(bytes.begin(), bytes.end());
    }
    text = group_.broadcast(text);
    if (folder_ || text.empty()) return saved;
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    const std::string name = "the checkpoint of process 0";
    return unpack_checkpoint(parse_safetensors(bytes, name), name);
  }

  void note(const std::string& sentence) {
    if (group_.leads()) observer_.on_note(sentence);
  }

  void resume_from(Checkpoint saved) {
    const int threads = resolve_threads(options_.threads);
    if (saved.device != options_.device || saved.threads != threads ||
        saved.processes != group_.size())
      note(
          fmt::format("the run was trained on {} so far and continues on {}: its last bits will "
                      "differ from those "
                      "of an uninterrupted run",
                      place_text(saved.device, saved.threads, saved.processes),
                      place_text(options_.device, threads, group_.size())));
    schedule_ = PlateauSchedule(config_.schedule, saved.schedule);
    stopping_ = EarlyStopping(config_.early_stopping, saved.early_stopping);
    state_ = std::move(saved);
    state_.weights = {};
    state_.optimiser = {};
  }

  // One epoch up to the start of its saving; returns why the run ends, if it ends before that.
  std::optional<TrainEnd> one_epoch(const Stopwatch& clock) {
    const int epoch = state_.epoch + 1;
    EpochRecord record;
    record.epoch = epoch;
    record.learning_rate = learning_rate(epoch, 0);
    if (const auto end = train_epoch(epoch, clock, record.train_loss)) return end;
    average_buffers();
    record.images_per_second =
        static_cast<double>(source_->steps()) * config_.batch / clock.seconds();
    {
      const AdamW::UseAverage use(*optimiser_);  // validate the weights that are kept
      record.validation_loss = validate(epoch);
      record.best = state_.best_epoch == 0 || record.validation_loss < state_.best_loss;
      if (record.best && folder_) state_.best_weights = model_.weights();
    }
    schedule_.observe(record.validation_loss);
    stopping_.observe(record.validation_loss);

    state_.epoch = epoch;
    if (record.best) {
      state_.best_epoch = epoch;
      state_.best_loss = record.validation_loss;
    }
    state_.schedule = schedule_.state();
    state_.early_stopping = stopping_.state();
    record.seconds = clock.seconds();
    validation_loss_ = record.validation_loss;
    if (!folder_) return std::nullopt;
    save(record);
    observer_.on_epoch(record);
    return std::nullopt;
  }

  // Copies the state of this moment and writes it to the folder while the next epoch trains.
  void save(const EpochRecord& record) {
    Checkpoint checkpoint = state_;
    checkpoint.optimiser = optimiser_->state();
    const bool same = record.best && checkpoint.optimiser.averages.empty();
    checkpoint.weights = same ? checkpoint.best_weights : model_.weights();
    finish_saving();
    saving_ = std::async(std::launch::async, [this, record, checkpoint = std::move(checkpoint)] {
      const Stopwatch clock;
      folder_->save_epoch(record, checkpoint);
      return clock.seconds();
    });
  }

  // Waits until the last epoch is in the folder; throws the Error of a failure to write it.
  void finish_saving() {
    if (saving_.valid()) longest_save_ = std::max(longest_save_, saving_.get());
  }

  bool has_saved() const {
    return saving_.valid() &&
           saving_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  std::optional<TrainEnd> train_epoch(int epoch, const Stopwatch& clock, double& mean_loss) {
    model_.train_mode(true);
    StepLosses losses(device_);
    const std::size_t steps = source_->steps();
    for (std::size_t step = 0; step < steps; ++step) {
      const double rate = learning_rate(epoch, step);
      if (captured_)
        losses.add(captured_->run(epoch, step, rate));
      else
        plain_step(epoch, step, rate, losses);
      const bool stop = observer_.wants_stop();
      const bool late = clock_.seconds() > options_.time_limit;
      // Several processes must look up at the same steps, because they agree there whether to end.
      const bool in_a_hurry = group_.alone() && (stop || late);
      const bool looks_up = losses.full() || step + 1 == steps || in_a_hurry;
      if (!looks_up) continue;
      if (has_saved()) finish_saving();  // a failure is reported now, not after this epoch
      if (const auto bad = losses.read(group_)) fail_on_training_batch(epoch, *bad);
      if (group_.leads())
        observer_.on_step({epoch, config_.max_epochs, step + 1, steps, losses.mean(),
                           validation_loss_, rate,
                           clock.seconds() * static_cast<double>(steps - step - 1) /
                               static_cast<double>(step + 1)});
      const auto [all_stop, all_late] = group_.any({stop, late});
      if (all_stop) return TrainEnd::kStopped;
      if (all_late) return TrainEnd::kTimeLimit;
    }
    mean_loss = losses.mean();
    return std::nullopt;
  }

  void plain_step(int epoch, std::size_t step, double rate, StepLosses& losses) {
    const Batch batch = source_->training(epoch, step);
    optimiser_->forget_gradients();
    const torch::Tensor loss = model_.loss(batch.images, batch.truth, batch.whole);
    loss.backward();
    optimiser_->step(rate, group_);
    losses.add(loss.detach(), optimiser_->sum_of_squares());
  }

  // The processes take turns with whole batches, so each batch's loss is that of a single process.
  double validate(int epoch) {
    const torch::NoGradGuard no_grad;
    model_.train_mode(false);
    const auto options = torch::TensorOptions().dtype(torch::kFloat64);
    const auto batches = static_cast<std::int64_t>(source_->validation_batches());
    const torch::Tensor losses = torch::zeros({batches}, options.device(device_));
    const torch::Tensor sizes = torch::zeros({batches}, options);
    for (std::int64_t i = group_.rank(); i < batches; i += group_.size()) {
      const Batch batch = source_->validation(static_cast<std::size_t>(i));
      if (config_.selection == Selection::kScore)
        losses[i].fill_(1.0 - mean_score(batch));
      else
        losses[i].copy_(model_.loss(batch.images, batch.truth));
      sizes[i].fill_(batch.images.size(0));
    }
    group_.sum(losses);
    group_.sum(sizes);
    const torch::Tensor read = losses.to(torch::kCPU);
    const auto* size = sizes.data_ptr<double>();
    double sum = 0.0;
    double count = 0.0;
    for (std::int64_t i = 0; i < batches; ++i) {
      const double loss = read.data_ptr<double>()[i];
      if (!std::isfinite(loss))
        fail(fmt::format("the validation loss after epoch {}, batch {}, is {}", epoch, i + 1, loss),
             [&](const std::string& path) {
               source_->save_validation(path, static_cast<std::size_t>(i));
             });
      sum += loss * size[i];
      count += size[i];
    }
    return sum / count;
  }

  // Batch norm: each process has statistics of its own parts; their mean is validated and kept.
  void average_buffers() const {
    if (group_.alone()) return;
    for (const auto& buffer : model_.buffers()) {
      if (!buffer.is_floating_point()) continue;  // a count of batches
      group_.sum(buffer);
      buffer.div_(group_.size());
    }
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

  double learning_rate(int epoch, std::size_t step) const {
    if (config_.model.evidence == EvidenceKind::kIntensity) return schedule_.learning_rate();
    const std::size_t steps = source_->steps();
    return config_.learning_rate *
           cosine_factor(config_.cosine, static_cast<std::size_t>(epoch - 1) * steps + step, steps);
  }

  [[noreturn]] void fail_on_training_batch(int epoch, const BadStep& bad) {
    fail(
        fmt::format("the {} of epoch {}, step {}, is {}", bad.what, epoch, bad.step + 1, bad.value),
        [&](const std::string& path) { source_->save_training(path, epoch, bad.step); });
  }

  // All processes find the same failure; process 0 tells the user.
  template <class Save>
  [[noreturn]] void fail(const std::string& what, const Save& save) const {
    if (!folder_) throw EndedElsewhere();
    save(folder_->nan_batch_path());
    throw Error(
        fmt::format("training stopped: {}; its batch is in {}", what, folder_->nan_batch_path()));
  }

  TrainOutcome outcome(TrainEnd end) {
    finish_saving();
    return {end, state_.epoch, state_.best_epoch, state_.best_loss};
  }

  LineModel& model_;
  torch::Device device_;
  const TrainConfig& config_;
  const TrainOptions& options_;
  TrainObserver& observer_;
  const ProcessGroup& group_;
  std::unique_ptr<BatchSource> source_;
  PlateauSchedule schedule_;
  EarlyStopping stopping_;
  std::unique_ptr<RunFolder> folder_;  // of process 0
  std::unique_ptr<AdamW> optimiser_;
  Checkpoint state_;  // of the last completed epoch, without the weights and the optimiser's state
  std::optional<double> validation_loss_;
  Stopwatch clock_;
  std::unique_ptr<CapturedStep> captured_;  // null: plain steps
  double longest_save_ = 0.0;               // seconds
  std::future<double> saving_;  // the last epoch's, on a thread that the destructor waits for
};

}  // namespace

TrainOutcome train_model(LineModel& model, torch::Device device, const TrainConfig& config,
                         const TrainOptions& options, TrainObserver& observer,
                         const ProcessGroup& group) {
  return Trainer(model, device, config, options, observer, group).run();
}

}  // namespace vsmax
