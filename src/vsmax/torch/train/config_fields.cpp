// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/config_fields.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "vsmax/image/gray_image.h"

namespace vsmax {

namespace {

constexpr int kMany = 1'000'000;

const std::vector<std::string> kPrecisions{"float32", "bfloat16"};

// `member` gives the setting of a configuration: [](auto& c) -> auto& { return c.batch; }.
template <class Member>
ConfigField number(const char* key, Member member, Range range) {
  return {
      key,
      [=](TrainConfig& config, const ConfigValue& value) { member(config) = value.number(range); },
      [=](const TrainConfig& config) { return fmt::format("{}", member(config)); }};
}

template <class Member>
ConfigField integer(const char* key, Member member, int low, int high = kMany) {
  return {key,
          [=](TrainConfig& config, const ConfigValue& value) {
            member(config) = value.integer(low, high);
          },
          [=](const TrainConfig& config) { return fmt::format("{}", member(config)); }};
}

template <class Condition>
ConfigField only_for(const Condition& applies_to, ConfigField field) {
  field.applies_to = applies_to;
  return field;
}

ConfigField model_field() {
  return {"model",
          [](TrainConfig& config, const ConfigValue& value) {
            const auto names = trainable_models();
            ModelSpec spec = named_spec(names[value.choice(names)]);
            spec.frame = config.model.frame;
            spec.bins = config.model.bins;
            spec.scale = config.model.scale;
            spec.eigen_guard = config.model.eigen_guard;
            spec.target_width = config.model.target_width;
            config.model = spec;
          },
          [](const TrainConfig& config) { return config.model.name; }};
}

ConfigField image_field() {
  return {"image",
          [](TrainConfig& config, const ConfigValue& value) {
            constexpr int kLongest = 1 << 14;
            const auto sides = value.pair();
            const ImageFrame frame{sides[0].integer(2, kLongest), sides[1].integer(2, kLongest)};
            if (frame.pixels() > kMaxPixels)
              value.reject(fmt::format("at most {} pixels", kMaxPixels));
            config.model.frame = frame;
          },
          [](const TrainConfig& config) {
            return fmt::format("[{}, {}]", config.model.frame->width, config.model.frame->height);
          }};
}

ConfigField grid_field() {
  return {"grid",
          [](TrainConfig& config, const ConfigValue& value) {
            constexpr int kMostBins = 4096;
            const auto sizes = value.pair();
            const GridBins bins{sizes[0].integer(1, kMostBins), sizes[1].integer(3, kMostBins)};
            if (bins.rhos % 2 == 0) value.reject("[angles, offsets] with an odd second number");
            config.model.bins = bins;
          },
          [](const TrainConfig& config) {
            return fmt::format("[{}, {}]", config.model.bins->thetas, config.model.bins->rhos);
          }};
}

ConfigField precision_field() {
  return {"precision",
          [](TrainConfig& config, const ConfigValue& value) {
            config.bfloat16 = value.choice(kPrecisions) == 1;
          },
          [](const TrainConfig& config) { return kPrecisions[config.bfloat16 ? 1 : 0]; }};
}

ConfigField pretrained_field() {
  constexpr const char* kNone = "none";
  return {"pretrained",
          [](TrainConfig& config, const ConfigValue& value) {
            config.pretrained = value.file_name() == kNone ? "" : value.file_name();
          },
          [](const TrainConfig& config) {
            if (config.pretrained.empty()) return std::string(kNone);
            // A JSON string is a YAML string, whatever characters a path may hold.
            return nlohmann::json(config.pretrained)
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
          }};
}

ConfigField support_field() {
  return {"data.support",
          [](TrainConfig& config, const ConfigValue& value) {
            const std::vector<std::string> names(kSupportNames.begin(), kSupportNames.end());
            config.support = static_cast<Support>(value.choice(names));
          },
          [](const TrainConfig& config) {
            return std::string(kSupportNames[static_cast<std::size_t>(config.support)]);
          }};
}

ConfigField betas_field() {
  return {"optimiser.betas",
          [](TrainConfig& config, const ConfigValue& value) {
            const Range range{0.0, 0.999999};
            const auto betas = value.pair();
            config.beta1 = betas[0].number(range);
            config.beta2 = betas[1].number(range);
          },
          [](const TrainConfig& config) {
            return fmt::format("[{}, {}]", config.beta1, config.beta2);
          }};
}

ConfigField seed_field() {
  return {
      "seed",
      [](TrainConfig& config, const ConfigValue& value) { config.seed = value.unsigned_integer(); },
      [](const TrainConfig& config) { return fmt::format("{}", config.seed); }};
}

}  // namespace

const std::vector<ConfigField>& config_fields() {
  static const std::vector<ConfigField> fields{
      model_field(),
      image_field(),
      grid_field(),
      number("scale", [](auto& c) -> auto& { return c.model.scale; }, {0.0, 1e30, true}),
      precision_field(),
      only_for(
          [](const ModelSpec& spec) {
            return spec.readout == Readout::kVeronese && spec.loss == Loss::kPolar;
          },
          number("eigen_guard", [](auto& c) -> auto& { return c.model.eigen_guard; },
                 {0.0, 1.0, true})),
      only_for([](const ModelSpec& spec) { return spec.readout == Readout::kHeatMap; },
               number("target_width", [](auto& c) -> auto& { return c.model.target_width; },
                      {0.0, 100.0, true})),
      only_for([](const ModelSpec& spec) { return spec.readout == Readout::kRegression; },
               pretrained_field()),
      support_field(),
      number("data.sigma_max", [](auto& c) -> auto& { return c.sigma_max; }, {0.0, 10.0}),
      integer(
          "data.validation_samples", [](auto& c) -> auto& { return c.validation_samples; }, 1),
      number("optimiser.learning_rate", [](auto& c) -> auto& { return c.learning_rate; },
             {0.0, 1.0, true}),
      number("optimiser.weight_decay", [](auto& c) -> auto& { return c.weight_decay; }, {0.0, 1.0}),
      betas_field(),
      number("schedule.factor", [](auto& c) -> auto& { return c.schedule.factor; },
             {0.0, 1.0, true}),
      integer(
          "schedule.patience", [](auto& c) -> auto& { return c.schedule.patience; }, 0),
      number("schedule.threshold", [](auto& c) -> auto& { return c.schedule.threshold; },
             {0.0, 1.0}),
      integer(
          "early_stopping.patience", [](auto& c) -> auto& { return c.early_stopping.patience; }, 1),
      number("early_stopping.min_delta",
             [](auto& c) -> auto& { return c.early_stopping.min_delta; }, {0.0, 1e6}),
      integer(
          "batch", [](auto& c) -> auto& { return c.batch; }, 1, 1 << 16),
      seed_field(),
      integer(
          kMaxEpochsKey, [](auto& c) -> auto& { return c.max_epochs; }, 1),
  };
  return fields;
}

}  // namespace vsmax
