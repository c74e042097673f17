// SPDX-License-Identifier: Apache-2.0
// Runs whose steps are CUDA graphs end with the same bits as plain ones. All but the first test
// need a GPU.
#include "vsmax/torch/train/captured_step.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "linear_model.h"
#include "scratch_folder.h"
#include "vsmax/torch/train/trainer.h"

namespace vsmax {
namespace {

using testing::content;
using testing::LinearModel;
using testing::ScratchFolder;

// VSMAX_TRAIN_GRAPH within a scope.
class GraphWish {
 public:
  explicit GraphWish(bool graph) { setenv("VSMAX_TRAIN_GRAPH", graph ? "1" : "0", 1); }
  ~GraphWish() { unsetenv("VSMAX_TRAIN_GRAPH"); }
  GraphWish(const GraphWish&) = delete;
  GraphWish& operator=(const GraphWish&) = delete;
};

struct NoteTaker : TrainObserver {
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_step(const TrainProgress& progress) override { last = progress; }
  void on_epoch(const EpochRecord& record) override { epochs = record.epoch; }
  bool wants_stop() override { return epochs == stop_after; }

  std::vector<std::string> notes;
  TrainProgress last;
  int epochs = 0;
  int stop_after = -1;
};

TrainConfig small_config(const std::string& model) {
  TrainConfig config;
  config.model = named_spec(model);
  config.model.frame = {32, 32};
  config.model.bins = {15, 13};
  config.batch = 8;
  config.validation_samples = 20;
  config.learning_rate = 1e-3;
  config.max_epochs = 3;
  return config;
}

// Returns the notes.
std::vector<std::string> train_small(const TrainConfig& config, const std::string& out, bool graph,
                                     bool resume = false, int stop_after = -1) {
  const GraphWish wish(graph);
  TrainOptions options;
  options.out = out;
  options.device = "cuda";
  options.threads = 1;
  options.resume = resume;
  NoteTaker observer;
  observer.stop_after = stop_after;
  train(config, options, observer);
  return observer.notes;
}

void expect_same_run(const std::string& a, const std::string& b) {
  for (const char* file : {"/model.safetensors", "/checkpoint.safetensors"})
    EXPECT_EQ(content(a + file) == content(b + file), true) << b << file;
}

TEST(CapturedStep, WithoutCudaStepsArePlain) {
  const ScratchFolder scratch;
  for (const bool graph : {false, true}) {
    const GraphWish wish(graph);
    TrainConfig config = small_config("vsmax-vs");
    config.max_epochs = 1;
    LinearModel model(config.grid());
    TrainOptions options;
    options.out = scratch / (graph ? "graph" : "plain");
    options.threads = 1;
    NoteTaker observer;
    train_model(model, torch::kCPU, config, options, observer);
    EXPECT_TRUE(observer.notes.empty());
  }
  expect_same_run(scratch / "plain", scratch / "graph");
}

class CapturedStepOnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device, or built without CUDA";
  }

  void expect_same_with_graph(const std::string& name, const TrainConfig& config) {
    EXPECT_TRUE(train_small(config, scratch_ / (name + "-plain"), false).empty());
    const auto notes = train_small(config, scratch_ / (name + "-graph"), true);
    EXPECT_TRUE(notes.empty()) << name << ": " << notes.front();
    expect_same_run(scratch_ / (name + "-plain"), scratch_ / (name + "-graph"));
  }

  ScratchFolder scratch_;
};

TEST_F(CapturedStepOnCuda, IsThePlainOneForEveryModel) {
  for (const std::string& model : trainable_models())
    for (const bool bfloat16 : {false, true}) {
      TrainConfig config = small_config(model);
      config.bfloat16 = bfloat16;
      expect_same_with_graph(model + (bfloat16 ? "-bfloat16" : "-float32"), config);
    }
}

TEST_F(CapturedStepOnCuda, IsThePlainOneForEverySetting) {
  TrainConfig config = small_config("vsmax-vs");
  config.clip = 0.01;
  config.average = 0.9;
  expect_same_with_graph("clip", config);
  for (const char* model : {"vsmax-vs", "softargmax-polar"}) {
    config = small_config(model);
    config.model.rho_unit = RhoUnit::kPixel;
    expect_same_with_graph(std::string(model) + "-pixels", config);
  }
  config = small_config("vsmax-vs");
  config.schedule = {0.5, 0, 0.9999};  // the learning rate falls after every epoch
  config.early_stopping = {5, 1e6};
  expect_same_with_graph("schedule", config);
  config = small_config("rht");
  config.model.heat_target = HeatTarget::kBlurred;
  config.model.heat_loss = HeatLoss::kSquares;
  expect_same_with_graph("heat", config);
}

// Their batches are made on the device.
TEST_F(CapturedStepOnCuda, IsThePlainOneForPhotographs) {
  const std::string config =
      "model: vsmax-vs\n"
      "evidence: learned\n"
      "image: [32, 24]\n"
      "grid: [15, 15]\n"
      "scale: 0.0625\n"
      "precision: bfloat16\n"
      "data: {blanks: 0.25, steps: 9, ";
  const std::string rest =
      "augmentation: {noise: 0.05}\n"
      "optimiser: {learning_rate: 1.0e-3, clip: 1.0, average: 0.9}\n"
      "schedule: {cosine_epochs: 2}\n"
      "batch: 8\n"
      "max_epochs: 2\n";
  expect_same_with_graph(
      "one", parse_config(config + "scenes: 0.75}\nloss: {likelihood: 0.1}\n" + rest, "one.yaml"));
  expect_same_with_graph(
      "several", parse_config(config + "cuts: 0.75, labels: all}\nloss: {likelihood: 0.1}\n" + rest,
                              "several.yaml"));
}

TEST_F(CapturedStepOnCuda, AResumedRunEndsWithTheSameBits) {
  const TrainConfig config = small_config("vsmax-vs");
  train_small(config, scratch_ / "whole", true);
  for (const bool graph : {true, false}) {
    const std::string out = scratch_ / (graph ? "graph" : "plain");
    train_small(config, out, true, false, 1);
    train_small(config, out, graph, true);
    expect_same_run(scratch_ / "whole", out);
  }
}

TEST_F(CapturedStepOnCuda, AModelThatWaitsForTheDeviceRunsPlainly) {
  for (const bool graph : {false, true}) {
    const GraphWish wish(graph);
    const TrainConfig config = small_config("vsmax-vs");
    LinearModel model(config.grid());
    model.to({torch::kCUDA, 0});
    model.reads_loss = true;
    TrainOptions options;
    options.out = scratch_ / (graph ? "graph" : "plain");
    options.device = "cuda";
    options.threads = 1;
    NoteTaker observer;
    train_model(model, {torch::kCUDA, 0}, config, options, observer);
    ASSERT_EQ(observer.notes.size(), graph ? 1U : 0U);
    for (const std::string& sentence : observer.notes)
      EXPECT_NE(sentence.find("cannot be captured"), std::string::npos) << sentence;
  }
  expect_same_run(scratch_ / "plain", scratch_ / "graph");
}

TEST_F(CapturedStepOnCuda, ALossThatIsNoNumberIsFoundAtItsOwnStep) {
  TrainConfig config = small_config("vsmax-vs");
  config.learning_rate = 1e30;
  const auto message = [&](bool graph) {
    return testing::error_of(
        [&] { train_small(config, scratch_ / (graph ? "graph" : "plain"), graph); });
  };
  const std::string plain = message(false);
  const std::string graph = message(true);
  EXPECT_NE(plain.find(" is "), std::string::npos);
  EXPECT_EQ(plain.substr(0, plain.find("; its batch")), graph.substr(0, graph.find("; its batch")));
}

}  // namespace
}  // namespace vsmax
