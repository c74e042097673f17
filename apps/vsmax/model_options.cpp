// SPDX-License-Identifier: Apache-2.0
#include "model_options.h"

#include <vector>

#include "cli/commands.h"
#include "cli/extent.h"
#include "vsmax/recover/grid_choice.h"

#if defined(VSMAX_WITH_CUDA)
#include "vsmax/recover/cuda_recoverer.h"
#endif

namespace vsmax::app {
namespace {

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const ModelDescription& model : builtin_models()) names.push_back(model.name);
  return names;
}

Model put_on_cuda(const Model& model) {
#if defined(VSMAX_WITH_CUDA)
  return on_cuda(model);
#else
  throw Error("this vsmax was built without CUDA, so " + model.name + " cannot run there");
#endif
}

}  // namespace

void ModelOptions::declare(CLI::App& parser) {
  parser
      .add_option("--model", name,
                  "A built-in model ('vsmax models'; 'auto' chooses one for each image) or a "
                  ".safetensors file")
      ->check(model_name(builtin_names(), {kPosterior}))
      ->capture_default_str();
  parser
      .add_option("--grid", bins,
                  "Accumulator size TxR: T angles, R offsets (R odd), of classic or the model "
                  "named, which must "
                  "have no weights")
      ->check(extent("255x127"));
  parser
      .add_option("--device", device,
                  "Where to run the network of a model of thin lines, such as paper")
      ->check(one_of({"cpu", "cuda"}))
      ->capture_default_str();
}

Model ModelOptions::load() const {
  if (name == kPosterior)
    throw UsageError(
        "the posterior needs to know the noise level, so only 'vsmax evaluate' can use it");
  Model model = load_model(name);
  if (!bins.empty()) {
    if (!model.candidates.empty())
      throw UsageError("--grid needs a model of its own: give --model classic as well");
    if (model.spec.frame)
      throw UsageError("--grid cannot change the grid that " + name + " was trained on");
    const Extent extent = parse_extent(bins);
    model.spec.bins = GridBins{extent.first, extent.second};
    // Reports an impossible grid once, not for every image.
    with_usage_errors([&] { return grid_for(model.spec, {256, 256}); });
  }
  if (device == "cuda" && !model.candidates.empty())
    throw UsageError("--device cuda runs models of thin lines with a network, such as paper, not " +
                     name + ": choose one with --model");
  if (device == "cuda") model = put_on_cuda(model);
  if (!model.warning.empty()) print_error("warning: " + model.warning);
  return model;
}

}  // namespace vsmax::app
