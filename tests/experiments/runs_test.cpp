// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "torch/train/scratch_folder.h"
#include "vsmax/base/error.h"
#include "vsmax/experiments/item.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using testing::ScratchFolder;

std::set<std::string> names_of_all_runs(const Scale& scale) {
  std::set<std::string> names;
  for (const Item& item : all_items())
    for (const vsmax::Run& run : item.runs(scale)) names.insert(run.name);
  return names;
}

TEST(Runs, ThePaperTakesNineteenTrainingsAndMoreSeeds) {
  const auto names = names_of_all_runs(scale_by_name("full"));
  // Six methods, four more seeds of two of them, eight on regions, five widths, two untrained, and
  // where a choice is made otherwise five seeds of two methods and four more.
  EXPECT_EQ(names.size(), 6U + 8U + 8U + 5U + 2U + 10U + 4U);
  for (const char* name :
       {"vsmax-vs-s42", "vsmax-vs-s46", "softargmax-vs-s43", "mlp-vs-g4-s42", "vsmax-polar-s42",
        "rht-t0.5-s42", "vsmax-vs-raw-s46", "rht-t3.0-clean-s42", "argmax", "posterior"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(Runs, ARunIsTheSameWhicheverItemNeedsIt) {
  for (const char* name : {"full", "smoke"}) {
    std::map<std::string, std::string> hashes;
    const Scale scale = scale_by_name(name);
    for (const Item& item : all_items())
      for (const vsmax::Run& run : item.runs(scale)) {
        const auto known = hashes.emplace(run.name, run.hash()).first;
        EXPECT_EQ(known->second, run.hash()) << run.name << " in " << item.name;
      }
    std::set<std::string> different;
    for (const auto& [run, hash] : hashes) different.insert(hash);
    EXPECT_EQ(different.size(), hashes.size());
  }
}

TEST(Runs, TheHashChangesWithTheConfigurationAndTheTests) {
  const Scale scale = scale_by_name("smoke");
  const vsmax::Run run = trained_run(scale, "vsmax-vs");
  vsmax::Run other = run;
  other.training->learning_rate *= 2.0;
  EXPECT_NE(other.hash(), run.hash());
  other = run;
  other.sigmas.push_back(0.7);
  EXPECT_NE(other.hash(), run.hash());
  other = run;
  other.test_seed = 1;
  EXPECT_NE(other.hash(), run.hash());
  EXPECT_NE(posterior_run(scale).hash(), posterior_run(scale_by_name("full")).hash());
}

TEST(Runs, TheProtocolIsThePapers) {
  const TrainConfig protocol = scale_by_name("full").protocol;
  EXPECT_EQ(protocol.image.width, 256);
  EXPECT_EQ(protocol.thetas, 127);
  EXPECT_EQ(protocol.batch, 64);
  EXPECT_EQ(protocol.max_epochs, 1000);
  EXPECT_EQ(protocol.learning_rate, 1e-4);
  EXPECT_EQ(protocol.sigma_max, 0.5);
  EXPECT_EQ(protocol.early_stopping.patience, 20);
  EXPECT_THROW(scale_by_name("half"), Error);
}

TEST(RunResults, AFileCountsIfItsHashIsTheRuns) {
  const ScratchFolder scratch;
  const vsmax::Run run = trained_run(scale_by_name("smoke"), "vsmax-vs");
  RunResults results(scratch / "runs");
  EXPECT_FALSE(results.load(run));
  EXPECT_EQ(results.find(run), nullptr);
  results.save(run, {{"hash", run.hash()}, {"evaluation", {{"results", Json::array()}}}});

  RunResults again(scratch / "runs");
  EXPECT_TRUE(again.load(run));
  vsmax::Run changed = run;
  changed.training->batch += 1;
  EXPECT_FALSE(again.load(changed));
}

TEST(RunResults, ADamagedFileIsNamed) {
  const ScratchFolder scratch;
  const vsmax::Run run = argmax_run(scale_by_name("smoke"));
  RunResults results(scratch / ".");
  write_file_atomically(results.path(run), std::string("{\"hash\": "));
  try {
    results.load(run);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("argmax.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace vsmax
