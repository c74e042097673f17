// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/training.h"

#include <ATen/Context.h>

#include <algorithm>
#include <array>

#include "vsmax/base/parallel.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/train/device.h"
#include "vsmax/torch/train/run_folder.h"
#include "vsmax/torch/train/trainer.h"

namespace vsmax {

std::string name_of(TrainEnd end) {
  constexpr std::array kNames{"all epochs", "early stopping", "time limit", "stopped"};
  return kNames.at(static_cast<std::size_t>(end));
}

namespace {

void load_pretrained(LineModel& model, const SafeTensors& file, const std::string& name) {
  if (model.spec().readout == Readout::kRegression)
    load_pretrained_trunk(model, file, name);
  else
    model.load_weights(file, name);
}

}  // namespace

TrainOutcome train(const TrainConfig& config, const TrainOptions& wanted, TrainObserver& observer,
                   const ProcessGroup& group) {
  TrainOptions options = wanted;
  if (options.threads == 0)
    options.threads = std::max(1, resolve_threads(0) / group.launch().local_size);
  // Before anything takes its time.
  if (group.leads()) refuse_existing_run(options.out, options.resume);
  const torch::Device device = open_device(options.device, group.launch().local_rank);
  make_reproducible(options.threads);
  at::manual_seed(config.seed);  // for the initial weights; torch draws nothing else
  const auto model = make_line_model(config.model, config.bfloat16);
  if (!config.pretrained.empty())
    load_pretrained(*model, read_safetensors(config.pretrained), config.pretrained);
  model->to(device);
  const TrainOutcome outcome = train_model(*model, device, config, options, observer, group);
  if (!group.leads()) return outcome;
  write_outcome(options.out,
                {name_of(outcome.end), outcome.epochs, outcome.best_epoch, outcome.best_loss,
                 device_name(device), torch_version(), source_commit()});
  return outcome;
}

}  // namespace vsmax
