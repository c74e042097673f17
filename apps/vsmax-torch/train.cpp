// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include "cli/interrupt.h"
#include "commands.h"
#include "draw/contact_sheet.h"
#include "train_display.h"
#include "vsmax/base/counted.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/torch/train/preview.h"
#include "vsmax/torch/train/training.h"

namespace vsmax::app {
namespace {

struct TrainArguments {
  std::string config;
  TrainOptions options;
  std::optional<int> epochs;
  std::optional<std::uint64_t> seed;
  std::optional<int> fold;
  std::string pretrained;
  std::string preview;
  double peer_timeout = JoinOptions{}.timeout;
};

std::string reason(TrainEnd end) {
  constexpr std::array kReasons{"all epochs done",
                                "early stopping: the validation loss no longer falls",
                                "time limit reached", "interrupted"};
  return kReasons.at(static_cast<std::size_t>(end));
}

void hold_out(int fold, const std::string& name, TrainConfig& config) {
  const bool learned = config.model.evidence == EvidenceKind::kLearned;
  if (!learned || fold > config.photos.folds)
    throw UsageError(fmt::format("--fold {}: {} has {}", fold, name,
                                 counted(learned ? config.photos.folds : 0, "fold")));
  config.photos.fold = fold;
}

TrainConfig config_of(const TrainArguments& arguments) {
  TrainConfig config = read_config(arguments.config);
  if (arguments.epochs) config.max_epochs = *arguments.epochs;
  if (arguments.seed) config.seed = *arguments.seed;
  if (!arguments.pretrained.empty()) config.pretrained = arguments.pretrained;
  if (!arguments.options.data.empty() && config.model.evidence != EvidenceKind::kLearned)
    throw UsageError("--data is for configurations with learned evidence, but that of " +
                     arguments.config + " is " + to_string(config.model.evidence));
  if (arguments.fold) hold_out(*arguments.fold, arguments.config, config);
  return config;
}

int show_preview(const TrainArguments& arguments) {
  if (!arguments.preview.ends_with(".png"))
    throw UsageError("--preview writes a PNG, so its name must end in .png: " + arguments.preview);
  require_writable(arguments.preview, {arguments.config, arguments.options.data});
  const Preview preview = preview_batch(config_of(arguments), arguments.options);
  write_png(arguments.preview, drawing::contact_sheet(preview.images, preview.lines));
  fmt::print("{}: the first batch, {} with their true lines\n", arguments.preview,
             counted(preview.images.size(), "image"));
  return kSuccess;
}

void show_outcome(const TrainOutcome& outcome, const std::string& out) {
  fmt::print("{} after {}\n", reason(outcome.end), counted(outcome.epochs, "complete epoch"));
  if (outcome.best_epoch > 0)
    fmt::print("{}/model.safetensors: validation loss {:.6g}, of epoch {}\n", out,
               outcome.best_loss, outcome.best_epoch);
  if (outcome.end == TrainEnd::kTimeLimit || outcome.end == TrainEnd::kStopped)
    fmt::print("to continue, run the same command with --resume\n");
}

int train_in(const ProcessGroup& group, const TrainArguments& arguments) {
  TrainOutcome outcome;
  {
    TrainDisplay display;
    outcome = train(config_of(arguments), arguments.options, display, group);
  }
  if (group.leads()) show_outcome(outcome, arguments.options.out);
  return outcome.end == TrainEnd::kStopped ? kInterrupted : kSuccess;
}

int train_from(const TrainArguments& arguments) {
  if (!arguments.preview.empty()) return show_preview(arguments);
  if (arguments.options.out.empty())
    throw UsageError("--out is missing, as in: vsmax train configs/tiny.yaml --out run");
  ProcessGroup group;
  try {
    const Launch launch = read_launch();
    // Writing to a killed process then fails with an error, which is reported in one sentence.
    if (launch.size > 1) std::signal(SIGPIPE, SIG_IGN);
    group =
        ProcessGroup::join(launch, {arguments.options.device, arguments.peer_timeout, interrupted});
    return train_in(group, arguments);
  } catch (const EndedElsewhere&) {
    group.fail(false);
  } catch (const std::exception&) {
    if (group.fail(true)) throw;
  }
  return kBadInput;
}

}  // namespace

Command train_command(CLI::App& app) {
  auto* parser = app.add_subcommand("train", "Train a model from a configuration");
  parser->footer(
      "Example:\n"
      "  vsmax train configs/tiny.yaml --out run\n"
      "  vsmax detect --model run/model.safetensors image.png\n"
      "  vsmax train configs/horizon.yaml --data photos --out run --device cuda\n\n"
      "DIR receives model.safetensors (the weights with the lowest validation loss), log.jsonl,\n"
      "config.yaml, outcome.json and checkpoint.safetensors. --resume continues an interrupted "
      "run.\n"
      "The same configuration, device and number of threads give the same model.\n"
      "On several GPUs or machines: torchrun --no_python --nproc_per_node 4 vsmax train ...\n"
      "(docs/training-scale.md).\n"
      "Exit code: 0 when finished or at the time limit, 1 for bad input or a failure (a NaN loss,\n"
      "a full disk), 2 for wrong usage, 130 after Ctrl-C or SIGTERM.");
  const auto arguments = std::make_shared<TrainArguments>();
  constexpr int kMostEpochs = 1'000'000;
  constexpr int kMostFolds = 1000;
  parser->add_option("CONFIG.yaml", arguments->config, "Configuration of the training")->required();
  parser->add_option("--out", arguments->options.out, "Folder for the results")
      ->check(not_empty())
      ->type_name("DIR");
  parser
      ->add_option("--data", arguments->options.data,
                   "Folder of labelled photographs, for configurations with learned evidence")
      ->check(not_empty())
      ->type_name("DIR");
  parser
      ->add_option("--fold", arguments->fold,
                   "Hold out this fold of the photographs (from 1), for cross-validation")
      ->transform(whole(1, kMostFolds));
  parser
      ->add_option("--pretrained", arguments->pretrained,
                   "Override the configuration's file of initial weights")
      ->check(not_empty())
      ->type_name("FILE");
  parser
      ->add_option(
          "--preview", arguments->preview,
          "Only write the first batch with its true lines to this PNG file; needs no --out")
      ->check(not_empty())
      ->type_name("FILE");
  parser->add_option("--device", arguments->options.device, "Device to train on")
      ->check(one_of({"cpu", "cuda"}))
      ->capture_default_str();
  parser->add_flag("--resume", arguments->options.resume,
                   "Resume the run in DIR after its last complete epoch");
  parser
      ->add_option("--time-limit", arguments->options.time_limit,
                   "Stop before this many seconds; no epoch starts that would exceed it")
      ->check(positive());
  parser->add_option("--epochs", arguments->epochs, "Override the configuration's max_epochs")
      ->transform(whole(1, kMostEpochs));
  parser->add_option("--seed", arguments->seed, "Override the configuration's seed")
      ->transform(whole(0, kAnySeed));
  parser
      ->add_option(
          "--peer-timeout", arguments->peer_timeout,
          "With several processes: give up if another does not respond for this many seconds")
      ->check(positive())
      ->capture_default_str();
  declare_threads(*parser, arguments->options.threads);
  return {parser, [arguments] { return train_from(*arguments); }};
}

}  // namespace vsmax::app
