// SPDX-License-Identifier: Apache-2.0
// Training with learned evidence: batches, the loss without a line, resuming.
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scratch_folder.h"
#include "vsmax/image/image_file.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/photos/polar_lines.h"
#include "vsmax/torch/train/model_evaluation.h"
#include "vsmax/torch/train/photo_batches.h"
#include "vsmax/torch/train/training.h"

namespace vsmax {
namespace {

using testing::content;
using testing::error_of;
using testing::ScratchFolder;

constexpr const char* kSmall =
    "model: vsmax-vs\n"
    "evidence: learned\n"
    "image: [32, 24]\n"
    "grid: [15, 15]\n"
    "scale: 0.0625\n"
    "loss: {likelihood: 0.1, presence: 0.05}\n"
    "data: {scenes: 0.5, blanks: 0.25, steps: 3, validation: 0.25}\n"
    "augmentation: {rotation: 15, scale: [0.9, 1.2], shift: 0.1, mirror: true, gamma: 0.5,\n"
    "               tint: 0.1, blur: 0.3, noise: 0.05}\n"
    "optimiser: {learning_rate: 1.0e-3, clip: 1.0, average: 0.9}\n"
    "schedule: {cosine_epochs: 3, warm_up: 2}\n"
    "batch: 8\n"
    "max_epochs: 3\n";

TrainConfig photo_config() { return parse_config(kSmall, "small.yaml"); }

std::string photo_name(int i) { return std::string("p").append(std::to_string(i)) + ".png"; }

// Eight photographs: dark above a step that runs across the middle, bright below.
std::string photo_folder(const ScratchFolder& scratch, const std::string& rows = "") {
  const std::string folder = scratch / "data";
  std::filesystem::create_directories(folder + "/images");
  std::ofstream csv(folder + "/lines.csv");
  csv << "image,x0,y0,x1,y1,guide\n";
  for (int i = 0; i < 8; ++i) {
    GrayImage image({40, 30}, 0.2F);
    const int edge = 10 + i;
    for (int row = edge; row < 30; ++row)
      for (int column = 0; column < 40; ++column) image.at(column, row) = 0.8F;
    const std::string name = photo_name(i);
    write_png(folder + "/images/" + name, image);
    csv << name << ",0," << edge - 0.5 << ",39," << edge - 0.5 << ",1\n";
  }
  csv << rows;
  return folder;
}

struct Silent : TrainObserver {
  void on_note(const std::string&) override {}
  void on_step(const TrainProgress&) override { ++steps; }
  void on_epoch(const EpochRecord& record) override { records.push_back(record); }
  bool wants_stop() override { return stop_after > 0 && steps >= stop_after; }

  int stop_after = 0;
  int steps = 0;
  std::vector<EpochRecord> records;
};

TrainOutcome go(const std::string& out, const std::string& data, bool resume = false,
                int stop_after = 0) {
  TrainOptions options;
  options.out = out;
  options.data = data;
  options.resume = resume;
  options.threads = 1;
  Silent observer;
  observer.stop_after = stop_after;
  return train(photo_config(), options, observer);
}

TEST(PhotoBatches, MixWhatTheConfigurationAsksFor) {
  const ScratchFolder scratch;
  PhotoBatches source(photo_config(), photo_folder(scratch), torch::kCPU);
  const Batch batch = source.training(1, 0);
  EXPECT_EQ(batch.images.sizes(), (std::vector<int64_t>{8, 3, 24, 32}));
  EXPECT_EQ(torch::isnan(batch.truth.select(1, 0)).slice(0, 6).sum().item<int64_t>(), 2);
  EXPECT_TRUE(torch::isfinite(batch.images).all().item<bool>());
  const Batch again = source.training(1, 0);
  EXPECT_TRUE(torch::equal(batch.images, again.images));
  EXPECT_FALSE(torch::equal(batch.images, source.training(1, 1).images));
  EXPECT_FALSE(torch::equal(batch.images, source.training(2, 0).images));
  // Two photographs are held out, two fit a batch, and they come with their scenes and blanks.
  EXPECT_EQ(source.validation_batches(), 1U);
  EXPECT_TRUE(torch::equal(source.validation(0).images, source.validation(0).images));
}

TEST(PhotoBatches, TheGuideIsChosenAnewInEveryView) {
  const ScratchFolder scratch;
  TrainConfig config = photo_config();
  config.photos.labels = PhotoLabels::kGuide;
  config.photos.scenes = 0.0;
  config.photos.blanks = 0.0;
  config.augmentation = {};
  std::string rows;
  // Upright rows left, right and nearly in the middle: the middle one wins, whatever the flag says.
  for (int i = 0; i < 8; ++i)
    for (const int x : {2, 36, 21})
      rows += photo_name(i) + "," + std::to_string(x) + ",0," + std::to_string(x) + ",29,0\n";
  PhotoBatches source(config, photo_folder(scratch, rows), torch::kCPU);
  const auto truth = source.training(1, 0).truth;
  EXPECT_LT(truth.select(1, 0).abs().max().item<double>(), 1e-4);
  const double rho = (21.0 - 19.5) * 32.0 / 40.0 / ImageFrame{32, 24}.half_diagonal();
  EXPECT_LT((truth.select(1, 1) - rho).abs().max().item<double>(), 1e-3);
}

TEST(PhotoBatches, SyntheticCropRowsNeedNoPhotograph) {
  TrainConfig config = photo_config();
  config.photos.labels = PhotoLabels::kGuide;
  config.photos.scenes = 0.0;
  config.photos.crop_rows = 0.75;
  PhotoBatches source(config, "", torch::kCPU);
  const Batch batch = source.training(1, 0);
  EXPECT_EQ(batch.images.sizes(), (std::vector<int64_t>{8, 3, 24, 32}));
  // Every field has a row that passes near the middle of the bottom edge.
  const auto truth = batch.truth.slice(0, 0, 6);
  EXPECT_LT(bottom_crossing(truth, ImageFrame{32, 24}).abs().max().item<double>(), 16.0);
  EXPECT_TRUE(torch::isnan(batch.truth.slice(0, 6)).all().item<bool>());
  config.model.several = true;
  const Batch all = PhotoBatches(config, "", torch::kCPU).training(1, 0);
  EXPECT_GT(torch::isfinite(all.truth.select(2, 0)).sum().item<int64_t>(), 6);
}

TEST(PhotoBatches, RejectsFoldersThatDoNotFit) {
  const ScratchFolder scratch;
  const auto refusal = [&](const std::string& folder) {
    return error_of([&] { PhotoBatches(photo_config(), folder, torch::kCPU); });
  };
  EXPECT_NE(refusal("").find("--data"), std::string::npos);
  const std::string two = photo_folder(scratch, "p3.png,0,5,39,5,0\n");
  EXPECT_NE(refusal(two).find("p3.png"), std::string::npos) << refusal(two);
  TrainConfig synthetic = photo_config();
  synthetic.photos.scenes = 0.75;  // and a quarter without a line
  const std::string unused = error_of([&] { PhotoBatches(synthetic, two, torch::kCPU); });
  EXPECT_NE(unused.find("would not be used"), std::string::npos) << unused;
}

TEST(PhotoTraining, AnImageWithoutALineOnlyCountsForItsAbsence) {
  at::manual_seed(1);
  const auto model = make_line_model(photo_config().model);
  const auto images = torch::randn({3, 3, 24, 32});
  auto truth = torch::tensor({{1.5F, 0.1F}, {0.2F, -0.3F}, {0.0F, 0.0F}});
  truth[2].fill_(NAN);
  const double with_blank = model->loss(images, truth).item<double>();
  EXPECT_TRUE(std::isfinite(with_blank));
  // Its gradient is finite too, and lowers the logits of the blank image.
  model->loss(images, truth).backward();
  for (const auto& parameter : model->parameters())
    EXPECT_TRUE(torch::isfinite(parameter.grad()).all().item<bool>());
}

TEST(PhotoEvaluation, RotatesEveryPhotographByEqualSteps) {
  const ScratchFolder scratch;
  const std::string data = photo_folder(scratch);
  go(scratch / "run", data);
  const ModelEvaluator evaluator(scratch / "run/model.safetensors", "cpu", 1);
  const LabelledFolder folder = read_labelled_folder(data);
  const auto plain = evaluator.evaluate_photos(folder, 0, 3);
  ASSERT_EQ(plain.size(), 8U);
  // p2 has its edge at row 11.5 of 30, and the frame 24 rows.
  EXPECT_NEAR(plain[2].truth.theta, std::numbers::pi / 2.0, 1e-6);
  EXPECT_NEAR(plain[2].truth.rho, (11.5 - 14.5) * 24.0 / 30.0, 1e-5);
  for (const ViewScore& view : plain) {
    EXPECT_GE(view.score.ea, 0.0);
    EXPECT_LE(view.score.ea, 1.0);
  }
  const auto turned = evaluator.evaluate_photos(folder, 6, 5);
  ASSERT_EQ(turned.size(), 48U);  // all edges pass near the centre
  for (std::size_t i = 0; i + 1 < turned.size(); ++i) {
    if (i % 6 == 5) continue;  // the next photograph starts elsewhere
    const double step = turned[i + 1].truth.theta - turned[i].truth.theta;
    EXPECT_NEAR(std::remainder(step + std::numbers::pi / 3.0, std::numbers::pi), 0.0, 1e-4) << i;
    EXPECT_NEAR(std::abs(turned[i + 1].truth.rho), std::abs(turned[i].truth.rho), 1e-3) << i;
  }
}

TEST(PhotoEvaluation, NeedsAModelOfPhotographs) {
  const ScratchFolder scratch;
  const LabelledFolder folder = read_labelled_folder(photo_folder(scratch));
  const ModelEvaluator evaluator("argmax", "cpu", 1);
  EXPECT_NE(error_of([&] { evaluator.evaluate_photos(folder, 0, 4); }).find("argmax"),
            std::string::npos);
}

TEST(PhotoTraining, AStoppedRunEndsWhereOneWithoutABreakDoes) {
  const ScratchFolder scratch;
  const std::string data = photo_folder(scratch);
  EXPECT_EQ(go(scratch / "whole", data).epochs, 3);
  EXPECT_EQ(go(scratch / "part", data, false, 4).end, TrainEnd::kStopped);
  EXPECT_EQ(go(scratch / "part", data, true).epochs, 3);
  for (const char* file : {"/model.safetensors", "/checkpoint.safetensors"})
    EXPECT_EQ(content(scratch / "whole" + file), content(scratch / "part" + file)) << file;
}

TEST(PhotoTraining, ResumesOnlyOnTheSamePhotographs) {
  const ScratchFolder scratch;
  const std::string data = photo_folder(scratch);
  EXPECT_EQ(go(scratch / "run", data, false, 4).end, TrainEnd::kStopped);
  const std::string moved = scratch / "moved";
  std::filesystem::rename(data, moved);
  EXPECT_EQ(go(scratch / "run", moved, true, 2).end, TrainEnd::kStopped);

  const std::string labels = content(moved + "/lines.csv");
  testing::put(moved + "/lines.csv", labels.substr(0, labels.rfind("39,")) + "38,16.5,1\n");
  const std::string message = error_of([&] { go(scratch / "run", moved, true); });
  EXPECT_EQ(message, scratch / "run/checkpoint.safetensors" +
                         ": belongs to a run whose photographs or labels differ from those of " +
                         moved);
  testing::put(moved + "/lines.csv", labels);
  EXPECT_EQ(go(scratch / "run", moved, true).epochs, 3);
}

TEST(PhotoTraining, AnExistingRunIsRefusedBeforeThePhotographsAreRead) {
  const ScratchFolder scratch;
  testing::put(scratch / "config.yaml", "");
  const std::string message = error_of([&] { go(scratch / ".", "no/such/folder"); });
  EXPECT_NE(message.find("config.yaml: exists already"), std::string::npos) << message;
  // And a run that cannot start leaves no folder behind.
  EXPECT_NE(error_of([&] { go(scratch / "run", "no/such/folder"); }).find("no/such/folder"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch / "run"));
}

TEST(PhotoTraining, KeepsTheRunningMeanOfTheWeights) {
  const ScratchFolder scratch;
  go(scratch / "run", photo_folder(scratch));
  const auto checkpoint =
      unpack_checkpoint(read_safetensors(scratch / "run/checkpoint.safetensors"), "checkpoint");
  EXPECT_FALSE(checkpoint.optimiser.averages.empty());
  const auto model = read_safetensors(scratch / "run/model.safetensors");
  EXPECT_NE(model.tensors.at("front.0.weight").values,
            checkpoint.weights.tensors.at("front.0.weight").values);
  EXPECT_EQ(model.metadata.at("evidence"), "learned");
  EXPECT_NEAR(std::stod(model.metadata.at("background")), std::log(2.0 * 15 * 15), 1e-9);
}

}  // namespace
}  // namespace vsmax
