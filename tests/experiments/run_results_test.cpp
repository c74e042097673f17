// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run_results.h"

#include <gtest/gtest.h>

#include "torch/train/scratch_folder.h"
#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using testing::ScratchFolder;

vsmax::Run some_run() {
  vsmax::Run run;
  run.name = "vsmax-vs-s42";
  run.model = "vsmax-vs";
  run.sigmas = {0.0, 0.6};
  run.training = TrainConfig{};
  run.training->model = run.model;
  return run;
}

TEST(Run, TheHashChangesWithTheConfigurationAndTheTests) {
  const vsmax::Run run = some_run();
  vsmax::Run other = run;
  other.training->learning_rate *= 2.0;
  EXPECT_NE(other.hash(), run.hash());
  other = run;
  other.sigmas.push_back(0.7);
  EXPECT_NE(other.hash(), run.hash());
  other = run;
  other.test_seed = 1;
  EXPECT_NE(other.hash(), run.hash());
  other = run;
  other.training.reset();
  vsmax::Run smaller = other;
  smaller.grid = HoughGrid({16, 16}, 15, 15);
  EXPECT_NE(smaller.hash(), other.hash());
}

TEST(RunResults, AFileCountsIfItHasTheRunsHash) {
  const ScratchFolder scratch;
  const vsmax::Run run = some_run();
  const RunResults results(scratch / "runs");
  EXPECT_FALSE(results.finished(run));
  results.save(run, {{"hash", run.hash()}, {"evaluation", {{"results", Json::array()}}}});
  EXPECT_TRUE(results.finished(run));
  vsmax::Run changed = run;
  changed.training->batch += 1;
  EXPECT_FALSE(results.finished(changed));
}

TEST(RunResults, ADamagedFileIsNamed) {
  const ScratchFolder scratch;
  const vsmax::Run run = some_run();
  const RunResults results(scratch / ".");
  write_file_atomically(results.path(run), std::string("{\"hash\": "));
  try {
    results.finished(run);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("vsmax-vs-s42.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace vsmax
