// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "scratch_folder.h"

namespace vsmax {
namespace {

using testing::error_of;

TrainConfig parse(const std::string& text) { return parse_config(text, "c.yaml"); }
std::string refusal(const std::string& text) {
  return error_of([&] { parse(text); });
}

void expect_in(const std::string& part, const std::string& whole) {
  EXPECT_NE(whole.find(part), std::string::npos) << "'" << part << "' is not in: " << whole;
}

TEST(Config, DefaultsAreThePapersProtocol) {
  const TrainConfig config = parse("model: vsmax-vs");
  EXPECT_EQ(config.grid(), HoughGrid::paper());
  EXPECT_EQ(config.model.scale, 1.0 / 64.0);
  EXPECT_FALSE(config.bfloat16);
  EXPECT_EQ(config.support, Support::kAll);
  EXPECT_EQ(config.sigma_max, 0.5);
  EXPECT_EQ(config.validation_samples, 1000);
  EXPECT_EQ(config.learning_rate, 1e-4);
  EXPECT_EQ(config.weight_decay, 1e-4);
  EXPECT_EQ(config.betas[0], 0.9);
  EXPECT_EQ(config.betas[1], 0.999);
  EXPECT_EQ(config.schedule.factor, 0.1);
  EXPECT_EQ(config.schedule.patience, 10);
  EXPECT_EQ(config.schedule.threshold, 1e-4);
  EXPECT_EQ(config.early_stopping.patience, 20);
  EXPECT_EQ(config.early_stopping.min_delta, 1e-4);
  EXPECT_EQ(config.batch, 64);
  EXPECT_EQ(config.seed, 42U);
  EXPECT_EQ(config.max_epochs, 1000);
}

TEST(Config, ShippedFilesOfThePapersModelsSayWhatTheDefaultsAre) {
  for (const auto& model : trainable_models()) {
    const auto config = read_config(std::string(VSMAX_CONFIGS) + "/" + model + ".yaml");
    EXPECT_EQ(settings_of(config), settings_of(parse("model: " + model))) << model;
  }
  EXPECT_EQ(read_config(VSMAX_CONFIGS "/tiny.yaml").grid(), HoughGrid({32, 32}, 31, 31));
}

TEST(Config, TextOfAConfigurationParsesToItself) {
  const TrainConfig config = parse(
      "model: rht\nimage: [48, 40]\ngrid: [20, 31]\nscale: 0.1\nprecision: bfloat16\n"
      "target_width: 1.1\ndata: {support: g3, sigma_max: 0.3, validation_samples: 7}\n"
      "optimiser: {learning_rate: 3e-3, weight_decay: 0, betas: [0.8, 0.9]}\n"
      "schedule: {factor: 0.5, patience: 0, threshold: 0}\n"
      "early_stopping: {patience: 3, min_delta: 0.5}\n"
      "batch: 8\nseed: 18446744073709551615\nmax_epochs: 3\n");
  EXPECT_EQ(config_text(parse(config_text(config))), config_text(config));
  EXPECT_EQ(config.model.frame, (ImageFrame{48, 40}));
  EXPECT_EQ(config.model.bins->rhos, 31);
  EXPECT_TRUE(config.bfloat16);
  EXPECT_EQ(config.support, Support::kG3);
  EXPECT_EQ(config.learning_rate, 3e-3);
  EXPECT_EQ(config.seed, 18446744073709551615U);
}

// Results are kept under a hash of the text: what existing runs did not choose must not appear.
TEST(Config, ChoicesAreWrittenOnlyWhereTheyAreUnusual) {
  for (const auto& model : trainable_models()) {
    const std::string text = config_text(parse("model: " + model));
    for (const char* key : {"cover", "temperature", "rho_unit", "hold_across", "heat", "selection"})
      EXPECT_EQ(text.find(key), std::string::npos) << model << " " << key;
  }
  const TrainConfig vsmax = parse(
      "model: vsmax-polar\ncover: single\ntemperature: 4\nrho_unit: bin\nhold_across_seam: "
      "false\ndata: {selection: score}\n");
  EXPECT_EQ(vsmax.model.cover, Cover::kSingle);
  EXPECT_EQ(vsmax.model.temperature, 4.0);
  EXPECT_EQ(vsmax.model.rho_unit, RhoUnit::kBin);
  EXPECT_FALSE(vsmax.model.hold_across_seam);
  EXPECT_EQ(vsmax.selection, Selection::kScore);
  EXPECT_EQ(settings_of(parse(config_text(vsmax))), settings_of(vsmax));
  const TrainConfig rht =
      parse("model: rht\nheat: {target: blurred, loss: squares, component: first}\n");
  EXPECT_EQ(rht.model.heat_target, HeatTarget::kBlurred);
  EXPECT_EQ(rht.model.heat_loss, HeatLoss::kSquares);
  EXPECT_EQ(rht.model.heat_component, HeatComponent::kFirst);
  EXPECT_EQ(settings_of(parse(config_text(rht))), settings_of(rht));
  expect_in("heat.loss (= squares) applies only to rht",
            refusal("model: vsmax-vs\nheat: {loss: squares}"));
  expect_in("hold_across_seam (= false) applies only to vsmax-polar",
            refusal("model: vsmax-vs\nhold_across_seam: false"));
}

TEST(Config, UnknownKeysAreRefusedWithTheKnownOnes) {
  const std::string top = refusal("model: vsmax-vs\noptimizer: {lr: 1}\n");
  expect_in("c.yaml: the key 'optimizer' (= {lr: 1}) is unknown", top);
  expect_in("optimiser", top);
  const std::string nested = refusal("model: vsmax-vs\noptimiser: {lr: 0.1}\n");
  expect_in("'optimiser.lr' (= 0.1) is unknown", nested);
  expect_in("learning_rate", nested);
}

TEST(Config, WrongTypesAndValuesNameFileKeyAndValue) {
  const auto expect = [](const std::string& line, const std::string& key,
                         const std::string& value) {
    const std::string message = refusal("model: vsmax-vs\n" + line + "\n");
    expect_in("c.yaml: " + key, message);
    expect_in("but is " + value, message);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  expect("batch: many", "batch", "many");
  expect("batch: 64 images", "batch", "64 images");
  expect("batch: 0", "batch", "0");
  expect("batch: 1.5", "batch", "1.5");
  expect("batch: [1, 2]", "batch", "[1, 2]");
  expect("batch:", "batch", "empty");
  expect("seed: -1", "seed", "-1");
  expect("max_epochs: 99999999999999999999", "max_epochs", "99999999999999999999");
  expect("image: 256", "image", "256");
  expect("image: [256]", "image", "[256]");
  expect("image: [256, 1]", "image[1]", "1");
  expect("grid: [127, 126]", "grid", "[127, 126]");
  expect("scale: 0", "scale", "0");
  expect("scale: .nan", "scale", ".nan");
  expect("scale: inf", "scale", "inf");
  expect("precision: float16", "precision", "float16");
  expect("data: {support: g5}", "data.support", "g5");
  expect("data: {sigma_max: -0.1}", "data.sigma_max", "-0.1");
  expect("data: all", "data", "all");
  expect("optimiser: {learning_rate: 0}", "optimiser.learning_rate", "0");
  expect("optimiser: {betas: [0.9, 1]}", "optimiser.betas[1]", "1");
  expect("schedule: {factor: 2}", "schedule.factor", "2");
  expect("early_stopping: {patience: 0}", "early_stopping.patience", "0");
}

TEST(Config, ModelIsRequiredAndOneOfTheKnown) {
  expect_in("'model' is missing", refusal("batch: 64"));
  expect_in("one of vsmax-vs, vsmax-polar", refusal("model: argmax"));
  expect_in("but is argmax", refusal("model: argmax"));
}

TEST(Config, KeysOfOtherModelsAreRefused) {
  expect_in("eigen_guard (= 1) applies only to vsmax-polar, but the model is rht",
            refusal("model: rht\neigen_guard: 1"));
  expect_in("pretrained (= a.safetensors) applies only to mlp-vs, mlp-polar, but the model is rht",
            refusal("pretrained: a.safetensors\nmodel: rht"));
  expect_in("target_width (= 3) applies only to rht, but the model is vsmax-vs",
            refusal("model: vsmax-vs\ntarget_width: 3"));
  EXPECT_EQ(parse("model: vsmax-polar\neigen_guard: 0.5").model.eigen_guard, 0.5);
}

TEST(Config, NoYamlEmptyFilesAndRepeatedKeys) {
  expect_in("c.yaml: line 2 is not valid YAML", refusal("model: vsmax-vs\nbatch: ]\n"));
  expect_in("c.yaml: a configuration holds keys", refusal(""));
  expect_in("c.yaml: a configuration holds keys", refusal("- 1\n- 2\n"));
  expect_in("'batch' occurs twice", refusal("model: vsmax-vs\nbatch: 1\nbatch: 2\n"));
  expect_in("missing.yaml", error_of([] { read_config("missing.yaml"); }));
}

TEST(Config, ABatchOfMoreThanAllLinesIsRefused) {
  expect_in("c.yaml: batch (= 64) exceeds the",
            refusal("model: vsmax-vs\nimage: [8, 8]\ngrid: [5, 5]\n"));
}

TEST(Config, LearnedEvidenceHasKeysOfItsOwn) {
  const TrainConfig config = read_config(std::string(VSMAX_CONFIGS) + "/horizon.yaml");
  EXPECT_EQ(config.model.evidence, EvidenceKind::kLearned);
  EXPECT_EQ(config.photos.scenes, 0.5);
  EXPECT_NEAR(config.model.background.value(), std::log(2.0 * 127 * 127), 1e-12);
  EXPECT_EQ(settings_of(parse(config_text(config))), settings_of(config));
  const std::string learned = "model: vsmax-vs\nevidence: learned\nimage: [32, 24]\n";
  EXPECT_EQ(parse(learned + "cover: single").model.cover, Cover::kSingle);
  expect_in("data.sigma_max (= 0.5) applies only to intensity evidence",
            refusal(learned + "data: {sigma_max: 0.5}"));
  expect_in("data.scenes (= 1) applies only to learned evidence",
            refusal("model: vsmax-vs\ndata: {scenes: 1}"));
  expect_in("multiples of 8", refusal("model: vsmax-vs\nevidence: learned\nimage: [33, 24]"));
  expect_in("more than the whole batch", refusal(learned + "data: {scenes: 0.9, blanks: 0.2}"));
  expect_in("data.crop_rows (= 0.5) adds pictures with several rows",
            refusal(learned + "data: {crop_rows: 0.5}"));
  expect_in("more than the whole batch",
            refusal(learned + "data: {labels: guide, crop_rows: 0.9, blanks: 0.2}"));
  expect_in("not one of 5 folds", refusal(learned + "data: {fold: 6}"));
  expect_in("[least, greatest]", refusal(learned + "augmentation: {scale: [1.2, 0.9]}"));
  expect_in("augmentation.stretch must be a number of at least 1",
            refusal(learned + "augmentation: {stretch: 0.5}"));
  const TrainConfig bent = parse(learned + "augmentation: {shear: 0.2, stretch: 1.5}");
  EXPECT_EQ(bent.augmentation.shear, 0.2);
  EXPECT_EQ(settings_of(parse(config_text(bent))), settings_of(bent));
}

}  // namespace
}  // namespace vsmax
