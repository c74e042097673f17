// SPDX-License-Identifier: Apache-2.0
// A batch in parts, as several processes see it: the same samples, and losses and gradients that
// add up to those of the whole.
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/train/batch_source.h"

namespace vsmax {
namespace {

struct Case {
  const char* name;
  const char* text;
};

// Eight samples make parts of 3, 3 and 2. None of these needs a folder of photographs.
constexpr const char* kLines = "image: [34, 33]\ngrid: [7, 9]\nbatch: 8\n";
constexpr const char* kSceneConfig =
    "evidence: learned\nimage: [32, 24]\ngrid: [15, 15]\nscale: 0.0625\nbatch: 8\n";

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"VeroneseLoss", "model: vsmax-vs\n"},
      {"PolarLoss", "model: vsmax-polar\n"},
      {"SoftArgmax", "model: softargmax-vs\n"},
      {"HeatMap", "model: rht\n"},
      {"Regression", "model: mlp-vs\n"},
      {"Scenes",
       "model: vsmax-vs\nloss: {likelihood: 0.1, presence: 0.05}\n"
       "data: {scenes: 0.6, blanks: 0.4}\n"},
      {"SeveralLines",
       "model: vsmax-vs\nloss: {likelihood: 0.1}\n"
       "data: {labels: all, scenes: 0.375, cuts: 0.25, blanks: 0.375}\n"},
      {"RegressionOfScenes", "model: mlp-vs\ndata: {scenes: 0.6, blanks: 0.4}\n"},
  };
  return all;
}

TrainConfig config_of(const Case& which) {
  const std::string text = which.text;
  const bool scenes = text.find("scenes") != std::string::npos;
  return parse_config(text + (scenes ? kSceneConfig : kLines), which.name);
}

class Parts : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr int kCount = 3;
  TrainConfig config = config_of(GetParam());
};

TEST_P(Parts, AreTheSamplesOfTheWholeBatch) {
  const Batch whole = open_source(config, "", torch::kCPU)->training(2, 1);
  EXPECT_FALSE(whole.whole.defined());
  for (int index = 0; index < kCount; ++index) {
    const Batch part = open_source(config, "", torch::kCPU, {index, kCount})->training(2, 1);
    EXPECT_EQ(part.images.size(0), index < 2 ? 3 : 2);
    EXPECT_TRUE(torch::equal(part.images, whole.images.slice(0, index, 8, kCount)));
    EXPECT_TRUE(torch::equal(torch::nan_to_num(part.truth, 9.0),
                             torch::nan_to_num(whole.truth.slice(0, index, 8, kCount), 9.0)));
    EXPECT_EQ(part.whole.sizes(), whole.truth.sizes());
  }
}

TEST_P(Parts, HaveLossesAndGradientsThatAddUp) {
  at::manual_seed(5);
  const auto model = make_line_model(config.model);
  model->train_mode(false);  // batch norm mixes the samples of a part
  const auto gradient = [&] {
    std::vector<torch::Tensor> all;
    for (auto& parameter : model->parameters()) {
      all.push_back(parameter.grad().reshape({-1}).clone());
      parameter.mutable_grad() = torch::Tensor();
    }
    return torch::cat(all);
  };
  const Batch whole = open_source(config, "", torch::kCPU)->training(1, 0);
  const torch::Tensor loss = model->loss(whole.images, whole.truth);
  loss.backward();
  const torch::Tensor wanted = gradient();

  double sum = 0.0;
  torch::Tensor added = torch::zeros_like(wanted);
  for (int index = 0; index < kCount; ++index) {
    const Batch part = open_source(config, "", torch::kCPU, {index, kCount})->training(1, 0);
    const torch::Tensor share = model->loss(part.images, part.truth, part.whole);
    share.backward();
    sum += share.item<double>();
    added += gradient();
  }
  const double size = loss.item<double>();
  EXPECT_NEAR(sum, size, 2e-6 * std::abs(size));
  const double norm = wanted.norm().item<double>();
  EXPECT_GT(norm, 0.0);
  EXPECT_LT((added - wanted).norm().item<double>(), 2e-5 * norm);
}

INSTANTIATE_TEST_SUITE_P(Models, Parts, ::testing::ValuesIn(cases()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace vsmax
