// SPDX-License-Identifier: Apache-2.0
// Internal: the format of a configuration file, one line per key. visit_fields calls
// visitor(key, value, kind, applies) for every key in the order of the file, where the kind reads a
// value from YAML and writes it, and `applies` tells whether the key belongs to the model.
#pragma once

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vsmax/image/gray_image.h"
#include "vsmax/torch/train/config.h"
#include "vsmax/torch/train/config_value.h"

namespace vsmax {

struct Number {
  Range range;
  void read(const ConfigValue& from, double& value) const { value = from.number(range); }
  std::string write(double value) const { return fmt::format("{}", value); }
};

struct WholeNumber {
  int low = 0;
  int high = 1'000'000;
  void read(const ConfigValue& from, int& value) const { value = from.integer(low, high); }
  std::string write(int value) const { return fmt::format("{}", value); }
};

struct SeedNumber {
  void read(const ConfigValue& from, std::uint64_t& value) const {
    value = from.unsigned_integer();
  }
  std::string write(std::uint64_t value) const { return fmt::format("{}", value); }
};

// An enumeration or a flag by its names, in the order of its values.
struct Choice {
  std::vector<std::string> names;
  template <class Value>
  void read(const ConfigValue& from, Value& value) const {
    value = static_cast<Value>(from.choice(names));
  }
  template <class Value>
  std::string write(Value value) const {
    return names[static_cast<std::size_t>(value)];
  }
};

// A new model keeps the size, the grid and the settings of the old one.
struct TrainableModel {
  void read(const ConfigValue& from, ModelSpec& value) const {
    const auto names = trainable_models();
    ModelSpec spec = named_spec(names[from.choice(names)]);
    spec.frame = value.frame;
    spec.bins = value.bins;
    spec.scale = value.scale;
    spec.evidence = value.evidence;
    spec.eigen_guard = value.eigen_guard;
    spec.target_width = value.target_width;
    value = spec;
  }
  std::string write(const ModelSpec& value) const { return value.name; }
};

struct ImageSize {
  void read(const ConfigValue& from, std::optional<ImageFrame>& value) const {
    const WholeNumber side{2, 1 << 14};
    const auto sides = from.pair();
    ImageFrame frame;
    side.read(sides[0], frame.width);
    side.read(sides[1], frame.height);
    if (frame.pixels() > kMaxPixels) from.reject(fmt::format("at most {} pixels", kMaxPixels));
    value = frame;
  }
  std::string write(const std::optional<ImageFrame>& value) const {
    return fmt::format("[{}, {}]", value->width, value->height);
  }
};

struct GridSize {
  void read(const ConfigValue& from, std::optional<GridBins>& value) const {
    constexpr int kMostBins = 4096;
    const auto sizes = from.pair();
    const GridBins bins{sizes[0].integer(1, kMostBins), sizes[1].integer(3, kMostBins)};
    if (bins.rhos % 2 == 0) from.reject("[angles, offsets] with an odd second number");
    value = bins;
  }
  std::string write(const std::optional<GridBins>& value) const {
    return fmt::format("[{}, {}]", value->thetas, value->rhos);
  }
};

struct Betas {
  void read(const ConfigValue& from, std::array<double, 2>& value) const {
    const Range range{0.0, 0.999999};
    const auto betas = from.pair();
    value = {betas[0].number(range), betas[1].number(range)};
  }
  std::string write(const std::array<double, 2>& value) const {
    return fmt::format("[{}, {}]", value[0], value[1]);
  }
};

// "none" or the name of a file, written as a JSON string, which is a YAML string whatever
// characters a path may hold.
struct OptionalFile {
  void read(const ConfigValue& from, std::string& value) const {
    value = from.file_name() == "none" ? "" : from.file_name();
  }
  std::string write(const std::string& value) const {
    if (value.empty()) return "none";
    return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
};

// Left out of the text where it is the default, so that results from before there was a choice keep
// their hash.
struct EvidenceChoice {
  void read(const ConfigValue& from, EvidenceKind& value) const {
    value = from.choice(kNames) == 0 ? EvidenceKind::kIntensity : EvidenceKind::kLearned;
  }
  std::string write(EvidenceKind value) const {
    return value == EvidenceKind::kLearned ? kNames[1] : "";
  }
  static inline const std::vector<std::string> kNames{"intensity", "learned"};
};

// A choice that is left out of the text where it is the usual one, for the same reason.
template <class Kind, class Value>
struct Unusual {
  Kind kind;
  std::optional<Value> usual;  // none: always written
  void read(const ConfigValue& from, Value& value) const { kind.read(from, value); }
  std::string write(const Value& value) const { return value == usual ? "" : kind.write(value); }
};

template <class Kind, class Value>
Unusual(Kind, Value) -> Unusual<Kind, Value>;

struct CoverChoice {
  void read(const ConfigValue& from, Cover& value) const {
    value = from.choice(kNames) == 0 ? Cover::kSingle : Cover::kDouble;
  }
  std::string write(Cover value) const { return kNames[value == Cover::kSingle ? 0 : 1]; }
  static inline const std::vector<std::string> kNames{"single", "double"};
};

struct ScaleRange {
  void read(const ConfigValue& from, std::array<double, 2>& value) const {
    const Range range{0.1, 10.0};
    const auto ends = from.pair();
    value = {ends[0].number(range), ends[1].number(range)};
    if (value[0] > value[1]) from.reject("[least, greatest]");
  }
  std::string write(const std::array<double, 2>& value) const {
    return fmt::format("[{}, {}]", value[0], value[1]);
  }
};

template <class Config, class Visitor>
void visit_fields(Config& c, const Visitor& visit) {
  const Readout readout = c.model.readout;
  const bool guarded = readout == Readout::kVeronese && c.model.loss == Loss::kPolar;
  const Range positive{0.0, 1.0, true};
  const std::vector<std::string> supports(kSupportNames.begin(), kSupportNames.end());
  const std::vector<std::string> labels(kPhotoLabelNames.begin(), kPhotoLabelNames.end());
  const bool learned = c.model.evidence == EvidenceKind::kLearned;
  const bool hough = readout == Readout::kVeronese || readout == Readout::kSoftArgmax;
  const Choice flag{{"false", "true"}};
  const auto usual_cover = learned ? std::nullopt : std::optional(named_spec(c.model.name).cover);
  const bool heat = readout == Readout::kHeatMap;
  visit("model", c.model, TrainableModel{}, true);
  visit("evidence", c.model.evidence, EvidenceChoice{}, readout != Readout::kHeatMap);
  visit("cover", c.model.cover, Unusual<CoverChoice, Cover>{{}, usual_cover}, hough);
  visit("image", c.model.frame, ImageSize{}, true);
  visit("grid", c.model.bins, GridSize{}, true);
  visit("scale", c.model.scale, Number{{0.0, 1e30, true}}, true);
  visit("precision", c.bfloat16, Choice{{"float32", "bfloat16"}}, true);
  visit("temperature", c.model.temperature, Unusual{Number{{0.0, 1e6, true}}, 1.0}, hough);
  visit("rho_unit", c.model.rho_unit,
        Unusual{Choice{{"half_diagonal", "half_width", "pixel", "bin"}}, RhoUnit::kHalfDiagonal},
        hough && !learned);
  visit("eigen_guard", c.model.eigen_guard, Number{positive}, guarded);
  visit("hold_across_seam", c.model.hold_across_seam, Unusual{flag, true}, guarded);
  visit("target_width", c.model.target_width, Number{{0.0, 100.0, true}}, heat);
  visit("heat.target", c.model.heat_target,
        Unusual{Choice{{"wrapped", "blurred"}}, HeatTarget::kWrapped}, heat);
  visit("heat.loss", c.model.heat_loss, Unusual{Choice{{"entropy", "squares"}}, HeatLoss::kEntropy},
        heat);
  visit("heat.component", c.model.heat_component,
        Unusual{Choice{{"strongest", "first"}}, HeatComponent::kStrongest}, heat);
  visit("pretrained", c.pretrained, OptionalFile{}, learned || readout == Readout::kRegression);
  visit("loss.likelihood", c.model.likelihood, Number{{0.0, 1e3}}, learned && hough);
  visit("loss.presence", c.model.presence, Number{{0.0, 1e3}}, learned && hough);
  visit("data.support", c.support, Choice{supports}, !learned);
  visit("data.sigma_max", c.sigma_max, Number{{0.0, 10.0}}, !learned);
  visit("data.validation_samples", c.validation_samples, WholeNumber{1}, !learned);
  visit("data.selection", c.selection, Unusual{Choice{{"loss", "score"}}, Selection::kLoss},
        !learned);
  visit("data.labels", c.photos.labels, Choice{labels}, learned);
  visit("data.scenes", c.photos.scenes, Number{{0.0, 1.0}}, learned);
  visit("data.tilt", c.photos.tilt, Number{{0.0, 180.0}}, learned);
  visit("data.cuts", c.photos.cuts, Number{{0.0, 1.0}}, learned && hough);
  visit("data.crop_rows", c.photos.crop_rows, Unusual{Number{{0.0, 1.0}}, 0.0}, learned);
  visit("data.blanks", c.photos.blanks, Number{{0.0, 0.5}}, learned);
  visit("data.steps", c.photos.steps, WholeNumber{1}, learned);
  visit("data.validation", c.photos.validation, Number{{0.0, 0.5}}, learned);
  visit("data.hold_out", c.photos.hold_out, Unusual{Choice{{"last", "spread"}}, HoldOut::kLast},
        learned);
  visit("data.folds", c.photos.folds, WholeNumber{2, 1000}, learned);
  visit("data.fold", c.photos.fold, WholeNumber{0, 1000}, learned);
  visit("augmentation.rotation", c.augmentation.rotation, Number{{0.0, 180.0}}, learned);
  visit("augmentation.scale", c.augmentation.scale, ScaleRange{}, learned);
  visit("augmentation.shift", c.augmentation.shift, Number{{0.0, 1.0}}, learned);
  visit("augmentation.shear", c.augmentation.shear, Unusual{Number{{0.0, 1.0}}, 0.0}, learned);
  visit("augmentation.stretch", c.augmentation.stretch, Unusual{Number{{1.0, 4.0}}, 1.0}, learned);
  visit("augmentation.mirror", c.augmentation.mirror, flag, learned);
  visit("augmentation.gamma", c.augmentation.gamma, Number{{0.0, 3.0}}, learned);
  visit("augmentation.tint", c.augmentation.tint, Number{{0.0, 1.0}}, learned);
  visit("augmentation.blur", c.augmentation.blur, Number{{0.0, 1.0}}, learned);
  visit("augmentation.noise", c.augmentation.noise, Number{{0.0, 1.0}}, learned);
  visit("augmentation.disc", c.augmentation.disc, flag, learned);
  visit("optimiser.learning_rate", c.learning_rate, Number{positive}, true);
  visit("optimiser.weight_decay", c.weight_decay, Number{{0.0, 1.0}}, true);
  visit("optimiser.betas", c.betas, Betas{}, true);
  visit("optimiser.clip", c.clip, Number{{0.0, 1e6}}, learned);
  visit("optimiser.average", c.average, Number{{0.0, 0.999999}}, learned);
  visit("schedule.factor", c.schedule.factor, Number{positive}, !learned);
  visit("schedule.patience", c.schedule.patience, WholeNumber{0}, !learned);
  visit("schedule.threshold", c.schedule.threshold, Number{{0.0, 1.0}}, !learned);
  visit("schedule.cosine_epochs", c.cosine.epochs, WholeNumber{0}, learned);
  visit("schedule.warm_up", c.cosine.warm_up, WholeNumber{0}, learned);
  visit("early_stopping.patience", c.early_stopping.patience, WholeNumber{1}, true);
  visit("early_stopping.min_delta", c.early_stopping.min_delta, Number{{0.0, 1e6}}, true);
  visit("batch", c.batch, WholeNumber{1, 1 << 16}, true);
  visit("seed", c.seed, SeedNumber{}, true);
  visit(kMaxEpochsKey, c.max_epochs, WholeNumber{1}, true);
}

}  // namespace vsmax
