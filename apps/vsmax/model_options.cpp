// SPDX-License-Identifier: Apache-2.0
#include "model_options.h"

#include <charconv>

#include "cli/commands.h"
#include "vsmax/image/gray_image.h"
#include "vsmax/recover/grid_choice.h"

#if defined(VSMAX_WITH_CUDA)
#include "vsmax/recover/cuda_recoverer.h"
#endif

namespace vsmax::app {
namespace {

Model put_on_cuda(const Model& model) {
#if defined(VSMAX_WITH_CUDA)
  return on_cuda(model);
#else
  throw Error("this vsmax was built without CUDA, so " + model.name + " cannot run there");
#endif
}

}  // namespace

Extent parse_extent(const std::string& text, const std::string& option, const char* example) {
  Extent extent;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, extent.first);
  const bool separated = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
  const auto second = separated ? std::from_chars(first.ptr + 1, end, extent.second) : first;
  if (!separated || second.ec != std::errc() || second.ptr != end || extent.first < 1 ||
      extent.second < 1)
    throw UsageError(option + " takes two positive numbers such as " + example + ", not '" + text +
                     "'");
  return extent;
}

ImageFrame parse_size(const std::string& text) {
  const Extent size = parse_extent(text, "--size", "256x192");
  if (static_cast<std::uint64_t>(size.first) * static_cast<std::uint64_t>(size.second) > kMaxPixels)
    throw UsageError("--size " + text + " exceeds the limit of " + std::to_string(kMaxPixels) +
                     " pixels");
  return {size.first, size.second};
}

void ModelOptions::declare(CLI::App& parser) {
  parser
      .add_option("--model", name,
                  "A built-in model ('vsmax models'), 'auto' for the most confident of them, or a "
                  ".safetensors file")
      ->capture_default_str();
  parser.add_option("--grid", bins,
                    "Accumulator size TxR: T angles, R offsets (R odd), of classic or the model "
                    "named, which must "
                    "have no weights");
  parser
      .add_option("--device", device,
                  "Where to run the network of a model of thin lines, such as paper")
      ->check(CLI::IsMember({"cpu", "cuda"}))
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
    const Extent extent = parse_extent(bins, "--grid", "255x127");
    model.spec.bins = GridBins{extent.first, extent.second};
    // Reports an impossible grid once, not for every image.
    with_usage_errors([&] { return grid_for(model.spec, {256, 256}); });
  }
  if (device == "cuda") model = put_on_cuda(model);
  if (!model.warning.empty()) print_error("warning: " + model.warning);
  return model;
}

}  // namespace vsmax::app
