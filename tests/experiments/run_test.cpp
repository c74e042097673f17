// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run.h"

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
  run.training->model = named_spec(run.model);
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
  other.photos = PhotoSet{"rows", "guide", 0};
  EXPECT_NE(other.hash(), run.hash());
  vsmax::Run rotated = other;
  rotated.photos->rotations = 4;
  EXPECT_NE(rotated.hash(), other.hash());
  other = run;
  other.training.reset();
  vsmax::Run smaller = other;
  smaller.grid = HoughGrid({16, 16}, 15, 15);
  EXPECT_NE(smaller.hash(), other.hash());
}

TEST(Run, IsFinishedIfItsFileHasItsHash) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "out";
  make_folder(folder + "/runs");
  const vsmax::Run run = some_run();
  EXPECT_FALSE(is_finished(run, folder));
  write_file_atomically(result_path(run, folder),
                        "{\"hash\": \"" + run.hash() + "\", \"evaluation\": {}}");
  EXPECT_TRUE(is_finished(run, folder));
  vsmax::Run changed = run;
  changed.training->batch += 1;
  EXPECT_FALSE(is_finished(changed, folder));
}

TEST(Run, ADamagedFileIsNamed) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "out";
  make_folder(folder + "/runs");
  const vsmax::Run run = some_run();
  write_file_atomically(result_path(run, folder), std::string("{\"hash\": "));
  EXPECT_NE(testing::error_of([&] { is_finished(run, folder); }).find("vsmax-vs-s42.json"),
            std::string::npos);
}

}  // namespace
}  // namespace vsmax
