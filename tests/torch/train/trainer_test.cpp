// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/trainer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "linear_model.h"
#include "scratch_folder.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/torch/models/render.h"
#include "vsmax/torch/train/training_set.h"

namespace vsmax {
namespace {

using testing::content;
using testing::error_of;
using testing::LinearModel;
using testing::ScratchFolder;

TrainConfig trainer_config() {
  TrainConfig config;
  config.model.frame = {16, 12};  // otherwise any: the test brings its own model
  config.model.bins = {15, 13};
  config.batch = 16;
  config.validation_samples = 20;
  config.learning_rate = 1e-3;
  config.max_epochs = 4;
  return config;
}

struct Listener : TrainObserver {
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_step(const TrainProgress& progress) override {
    last = progress;
    ++steps;
  }
  void on_epoch(const EpochRecord& record) override { records.push_back(record); }
  bool wants_stop() override { return stop && stop(); }

  std::function<bool()> stop;
  std::vector<std::string> notes;
  std::vector<EpochRecord> records;
  TrainProgress last;
  int steps = 0;
};

struct Training {
  explicit Training(const std::string& out, bool resume = false) : model(trainer_config().grid()) {
    options.out = out;
    options.resume = resume;
    options.threads = 1;
  }
  TrainOutcome go() { return train_model(model, torch::kCPU, config, options, listener); }

  TrainConfig config = trainer_config();
  TrainOptions options;
  LinearModel model;
  Listener listener;
};

// The log without its times.
std::vector<nlohmann::json> figures(const std::string& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(content(path));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(nlohmann::json::parse(line));
    lines.back().erase("seconds");
    lines.back().erase("images_per_second");
  }
  return lines;
}

// The mean EA over the validation, line by line.
TEST(Trainer, CanSelectByTheScore) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  run.config.selection = Selection::kScore;
  run.config.max_epochs = 1;
  run.go();
  EXPECT_EQ(run.model.validation_calls, 0);  // of the loss
  const TrainingSet set(run.config);
  const HoughGrid grid = run.config.grid();
  double sum = 0.0;
  for (const TrainingSample& sample : set.validation_batch(0, set.validation_samples())) {
    const auto image = render_samples(
        grid.frame(), {{grid.line(sample.cell), sample.sigma, sample.key}}, torch::kCPU);
    const PredictedLines found = run.model.predict(image);
    const UnitLine line{found.theta[0].item<double>(), found.rho[0].item<double>()};
    sum += ea_score(pixel_from_unit(line, grid.frame()), grid.line(sample.cell), grid.frame());
  }
  EXPECT_NEAR(run.listener.records.front().validation_loss, 1.0 - sum / 20.0, 1e-5);
}

TEST(Trainer, LearnsLogsAndKeepsTheBestWeights) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  const TrainOutcome outcome = run.go();
  EXPECT_EQ(outcome.end, TrainEnd::kMaxEpochs);
  EXPECT_EQ(outcome.epochs, 4);
  ASSERT_EQ(run.listener.records.size(), 4U);
  const auto& records = run.listener.records;
  EXPECT_LT(records[3].train_loss, 0.9 * records[0].train_loss);
  double best = records[0].validation_loss;
  for (const auto& record : records) best = std::min(best, record.validation_loss);
  EXPECT_EQ(outcome.best_loss, best);
  EXPECT_EQ(records[static_cast<std::size_t>(outcome.best_epoch - 1)].validation_loss, best);
  EXPECT_EQ(run.listener.last.step, run.listener.last.steps);
  EXPECT_EQ(run.listener.last.validation_loss, records[2].validation_loss);

  const auto log = figures(scratch / "run/log.jsonl");
  ASSERT_EQ(log.size(), 4U);
  EXPECT_EQ(log[1]["validation_loss"], records[1].validation_loss);
  LinearModel saved(trainer_config().grid());
  saved.load_weights(read_safetensors(scratch / "run/model.safetensors"), "m");
  ASSERT_EQ(outcome.best_epoch, 4);
  EXPECT_TRUE(torch::equal(saved.parameters()[0], run.model.parameters()[0]));
}

TEST(Trainer, TwoRunsAreTheSameToTheLastBit) {
  const ScratchFolder scratch;
  Training(scratch / "a").go();
  Training(scratch / "b").go();
  EXPECT_EQ(content(scratch / "a/model.safetensors"), content(scratch / "b/model.safetensors"));
  EXPECT_EQ(content(scratch / "a/checkpoint.safetensors"),
            content(scratch / "b/checkpoint.safetensors"));
  Training other(scratch / "c");
  other.config.seed = 43;
  other.go();
  EXPECT_NE(content(scratch / "a/model.safetensors"), content(scratch / "c/model.safetensors"));
}

TEST(Trainer, AStoppedRunEndsWhereOneWithoutABreakDoes) {
  const ScratchFolder scratch;
  Training(scratch / "whole").go();
  for (const int stop_after : {0, 1, 12, 20, 21, 35}) {  // steps; an epoch has about a dozen
    const std::string out = scratch / ("part" + std::to_string(stop_after));
    Training first(out);
    first.listener.stop = [&] { return first.listener.steps >= stop_after; };
    EXPECT_EQ(first.go().end, TrainEnd::kStopped);
    Training second(out, true);
    EXPECT_EQ(second.go().end, TrainEnd::kMaxEpochs);
    for (const char* file : {"/model.safetensors", "/checkpoint.safetensors"})
      EXPECT_EQ(content(scratch / "whole" + file), content(out + file)) << stop_after;
    EXPECT_EQ(figures(scratch / "whole/log.jsonl"), figures(out + "/log.jsonl")) << stop_after;
  }
}

// An epoch is saved while the next one trains, or at the end of the run.
TEST(Trainer, AnEpochThatCannotBeSavedEndsTheRun) {
  for (const int epochs : {1, 4}) {
    const ScratchFolder scratch;
    Training run(scratch / "run");
    run.config.max_epochs = epochs;
    const std::string in_the_way = scratch / "run/model.safetensors";
    run.listener.stop = [&] {
      if (run.listener.steps > 0) std::filesystem::create_directory(in_the_way);
      return false;
    };
    EXPECT_EQ(error_of([&] { run.go(); }), in_the_way + ": is a directory, not a file");
    EXPECT_LE(run.listener.records.size(), 2U);

    std::filesystem::remove(in_the_way);
    Training again(scratch / "run", true);
    EXPECT_EQ(again.go().epochs, 4);
    Training(scratch / "whole").go();
    EXPECT_EQ(content(scratch / "whole/checkpoint.safetensors"),
              content(scratch / "run/checkpoint.safetensors"));
  }
}

TEST(Trainer, MoreEpochsMayBeAskedForLater) {
  const ScratchFolder scratch;
  Training(scratch / "whole").go();
  Training first(scratch / "run");
  first.config.max_epochs = 2;
  first.go();
  Training again(scratch / "run", true);
  again.config.max_epochs = 2;
  EXPECT_EQ(again.go().epochs, 2);
  EXPECT_EQ(again.model.training_calls, 0);
  Training(scratch / "run", true).go();
  EXPECT_EQ(content(scratch / "whole/model.safetensors"),
            content(scratch / "run/model.safetensors"));
}

TEST(Trainer, EarlyStoppingAndScheduleEndARun) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  run.config.max_epochs = 100;
  run.config.early_stopping = {5, 1e6};  // nothing is ever good enough
  run.config.schedule = {0.5, 1, 0.9999};
  const TrainOutcome outcome = run.go();
  EXPECT_EQ(outcome.end, TrainEnd::kEarlyStopping);
  EXPECT_EQ(outcome.epochs, 6);
  EXPECT_EQ(run.listener.records[2].learning_rate, 1e-3);
  EXPECT_EQ(run.listener.records[3].learning_rate, 5e-4);
  Training again(scratch / "run", true);
  again.config = run.config;
  EXPECT_EQ(again.go().end, TrainEnd::kEarlyStopping);
  EXPECT_EQ(again.model.training_calls, 0);
}

TEST(Trainer, TimeLimitEndsARunThatCanGoOn) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  run.options.time_limit = 1e-9;
  EXPECT_EQ(run.go().end, TrainEnd::kTimeLimit);
  Training again(scratch / "run", true);
  EXPECT_EQ(again.go().end, TrainEnd::kMaxEpochs);
  EXPECT_EQ(again.listener.notes.size(), 1U);  // there was no checkpoint
}

TEST(Trainer, ALossThatIsNoNumberSavesItsBatch) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  const TrainingSet set(run.config);
  const auto steps = static_cast<int>(set.steps());
  run.model.nan_loss_at = steps + 3;
  const std::string message = error_of([&] { run.go(); });
  EXPECT_NE(message.find("the loss of epoch 2, step 3, is nan"), std::string::npos) << message;
  EXPECT_NE(message.find("nan-batch.safetensors"), std::string::npos) << message;

  const SafeTensors batch = read_safetensors(scratch / "run/nan-batch.safetensors");
  EXPECT_EQ(batch.metadata.at("epoch"), "2");
  EXPECT_EQ(batch.metadata.at("split"), "train");
  EXPECT_EQ(batch.metadata.at("index").substr(0, 6), "32,33,");
  EXPECT_EQ(batch.tensors.at("images").shape, (std::vector<std::int64_t>{16, 12, 16}));
  EXPECT_EQ(batch.tensors.at("sigma").values[5],
            static_cast<float>(set.training_batch(2, 2)[5].sigma));
  EXPECT_EQ(figures(scratch / "run/log.jsonl").size(), 1U);  // the whole epoch stays
  Training again(scratch / "run", true);
  EXPECT_EQ(again.go().epochs, 4);
}

TEST(Trainer, ABadGradientIsFoundAtItsOwnStep) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  run.model.nan_gradient_at = 2;
  const std::string message = error_of([&] { run.go(); });
  EXPECT_NE(message.find("the gradient of epoch 1, step 2, is nan"), std::string::npos) << message;
}

TEST(Trainer, ABadValidationLossIsFound) {
  const ScratchFolder scratch;
  Training run(scratch / "run");
  run.model.nan_validation_at = 2;
  const std::string message = error_of([&] { run.go(); });
  EXPECT_NE(message.find("validation loss after epoch 1, batch 2, is inf"), std::string::npos)
      << message;
  const SafeTensors batch = read_safetensors(scratch / "run/nan-batch.safetensors");
  EXPECT_EQ(batch.metadata.at("split"), "validation");
  EXPECT_EQ(batch.metadata.at("index"), "16,17,18,19");
}

TEST(Trainer, ResumingAnotherConfigurationChangesNothing) {
  const ScratchFolder scratch;
  Training(scratch / "run").go();
  const std::string before = content(scratch / "run/config.yaml");
  Training other(scratch / "run", true);
  other.config.batch = 8;
  const std::string message = error_of([&] { other.go(); });
  EXPECT_NE(message.find("belongs to a run with batch 16, but this configuration has 8"),
            std::string::npos)
      << message;
  EXPECT_EQ(content(scratch / "run/config.yaml"), before);
}

TEST(Trainer, ResumingWithOtherThreadsSaysSo) {
  const ScratchFolder scratch;
  Training(scratch / "run").go();
  Training other(scratch / "run", true);
  other.options.threads = 2;
  other.go();
  ASSERT_EQ(other.listener.notes.size(), 1U);
  EXPECT_NE(other.listener.notes[0].find("cpu with 1 thread so far and"), std::string::npos);
}

}  // namespace
}  // namespace vsmax
