// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/run_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "scratch_folder.h"

namespace vsmax {
namespace {

using testing::content;
using testing::error_of;
using testing::put;
using testing::ScratchFolder;

TrainConfig config() { return {}; }

Checkpoint at_epoch(int epoch) {
  Checkpoint checkpoint;
  checkpoint.epoch = epoch;
  checkpoint.device = "cpu";
  checkpoint.settings = settings_of(config());
  checkpoint.best_epoch = epoch;
  checkpoint.weights.tensors["w"] = {{1}, {static_cast<float>(epoch)}};
  checkpoint.best_weights = checkpoint.weights;
  return checkpoint;
}

EpochRecord record(int epoch) { return {epoch, 0.1, 1.0 / 3.0, 1e-4, 2.5, 100.0, true}; }

TEST(RunLog, ALineHoldsTheEpochsFiguresExactly) {
  const auto line = nlohmann::json::parse(log_line(record(3)));
  EXPECT_EQ(line["epoch"], 3);
  EXPECT_EQ(line["train_loss"], 0.1);
  EXPECT_EQ(line["validation_loss"], 1.0 / 3.0);
  EXPECT_EQ(line["lr"], 1e-4);
  EXPECT_EQ(line["seconds"], 2.5);
  EXPECT_EQ(line["images_per_second"], 100.0);
  EXPECT_EQ(line["best"], true);
}

TEST(RunLog, TrimmingDropsLaterAndHalfWrittenLines) {
  const ScratchFolder scratch;
  const std::string path = scratch / "log.jsonl";
  EXPECT_NO_THROW(trim_log(path, 3));
  for (int epoch = 1; epoch <= 4; ++epoch) append_line(path, log_line(record(epoch)));
  const std::string two = log_line(record(1)) + "\n" + log_line(record(2)) + "\n";
  put(path, content(path) + "{\"epoch\": 1, \"tra");
  trim_log(path, 2);
  EXPECT_EQ(content(path), two);
  trim_log(path, 0);
  EXPECT_EQ(content(path), "");
}

TEST(RunFolder, RefusesAFolderWithARunAndChangesNothing) {
  const ScratchFolder scratch;
  const std::string out = scratch / "run";
  {
    const RunFolder folder(out, false);
    folder.begin(config(), nullptr);
    folder.save_epoch(record(1), at_epoch(1));
  }
  const std::string before = content(out + "/checkpoint.safetensors");
  const std::string message = error_of([&] { RunFolder(out, false); });
  EXPECT_NE(message.find("checkpoint.safetensors: exists already"), std::string::npos) << message;
  EXPECT_NE(message.find("--resume"), std::string::npos) << message;
  EXPECT_EQ(content(out + "/checkpoint.safetensors"), before);
  EXPECT_NO_THROW(RunFolder(out, true));

  put(scratch / "file", "");
  EXPECT_NE(error_of([&] { RunFolder(scratch / "file", false); }).find("is a file"),
            std::string::npos);
  std::filesystem::remove(out + "/checkpoint.safetensors");
  EXPECT_NE(error_of([&] { RunFolder(out, true); }).find("is missing"), std::string::npos);
}

TEST(RunFolder, OneRunAtATime) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch / "run", false);
  EXPECT_NE(error_of([&] { RunFolder(scratch / "run", true); }).find("another vsmax train"),
            std::string::npos);
}

TEST(RunFolder, BeginPutsAllFilesInLineWithTheCheckpoint) {
  const ScratchFolder scratch;
  const std::string out = scratch / "run";
  const RunFolder folder(out, false);
  EXPECT_FALSE(folder.load_checkpoint());
  folder.begin(config(), nullptr);
  EXPECT_EQ(content(folder.config_path()), config_text(config()));
  folder.save_epoch(record(1), at_epoch(1));
  const std::string checkpoint = content(folder.checkpoint_path());
  const std::string model = content(folder.model_path());
  const std::string log = content(folder.log_path());
  folder.save_epoch(record(2), at_epoch(2));
  put(out + "/.vsmax-1-0.tmp", "half");
  put(folder.checkpoint_path(), checkpoint);  // as if killed before epoch 2's was in place

  const auto saved = folder.load_checkpoint();
  ASSERT_TRUE(saved);
  folder.begin(config(), &*saved);
  EXPECT_EQ(content(folder.model_path()), model);
  EXPECT_EQ(content(folder.log_path()), log);
  EXPECT_FALSE(std::filesystem::exists(out + "/.vsmax-1-0.tmp"));
}

// A file size limit stands in for a full disk: writing past it fails as on one.
TEST(RunFolder, AFullDiskLeavesTheOldCheckpoint) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch / "run", false);
  folder.begin(config(), nullptr);
  folder.save_epoch(record(1), at_epoch(1));
  const std::string checkpoint = content(folder.checkpoint_path());
  const std::string log = content(folder.log_path());

  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const auto attempt = [&](rlim_t bytes) {
    rlimit tight = limit;
    tight.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &tight);
    const std::string message = error_of([&] { folder.save_epoch(record(2), at_epoch(2)); });
    setrlimit(RLIMIT_FSIZE, &limit);
    return message;
  };
  EXPECT_NE(attempt(log.size() + 5).find("log.jsonl: cannot be written (File too large)"),
            std::string::npos);
  EXPECT_EQ(content(folder.log_path()), log);
  EXPECT_NE(attempt(2 * log.size() + 5).find("checkpoint.safetensors: cannot be written"),
            std::string::npos);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(content(folder.checkpoint_path()), checkpoint);
  EXPECT_EQ(folder.load_checkpoint()->epoch, 1);
}

}  // namespace
}  // namespace vsmax
