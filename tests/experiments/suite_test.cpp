// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/suite.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "torch/train/scratch_folder.h"
#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using testing::ScratchFolder;
namespace fs = std::filesystem;

const std::string kRoot = VSMAX_SOURCES;
const std::string kPaper = kRoot + "/suites/paper.yaml";

Json json_of(const fs::path& path) {
  const auto bytes = read_file(path.string());
  return Json::parse(bytes.begin(), bytes.end());
}

// Folders that were filled before the report knew the sigmas have none.
Json without_sigmas(Json resolved) {
  resolved.erase("sigmas");
  return resolved;
}

void expect_same(const Json& resolved, const fs::path& committed) {
  EXPECT_EQ(without_sigmas(resolved), without_sigmas(json_of(committed))) << committed;
}

const vsmax::Run& run_of(const Suite& suite, const std::string& name) {
  for (const vsmax::Run& run : suite.runs)
    if (run.name == name) return run;
  throw Error("no run " + name);
}

// The committed results stay valid: nothing would be trained again.
TEST(PaperSuite, IsWhatTheCommittedRunsWereMadeFrom) {
  std::map<std::string, std::string> committed;
  for (const auto& entry : fs::directory_iterator(kRoot + "/results/paper/runs")) {
    const Json run = json_of(entry.path());
    committed[run.at("name")] = run.at("hash");
  }
  std::map<std::string, std::string> planned;
  const Suite suite = read_suite(kPaper, "");
  for (const vsmax::Run& run : suite.runs) planned[run.name] = run.hash();
  EXPECT_EQ(committed.size(), 55U);
  for (const auto& [name, hash] : committed) EXPECT_EQ(planned[name], hash) << name;
  EXPECT_EQ(suite.scale, "full");
  expect_same(suite.resolved, kRoot + "/results/paper/suite.json");
}

TEST(PaperSuite, HasThePapersProtocol) {
  const Suite suite = read_suite(kPaper, "full");
  for (const vsmax::Run& run : suite.runs) {
    EXPECT_EQ(run.grid.frame().width, 256);
    EXPECT_EQ(run.grid.frame().height, 256);
    EXPECT_EQ(run.grid.thetas(), 127);
    EXPECT_EQ(run.grid.rhos(), 127);
    if (!run.training) continue;
    const TrainConfig& protocol = *run.training;
    EXPECT_EQ(protocol.batch, 64);
    EXPECT_EQ(protocol.max_epochs, 1000);
    EXPECT_EQ(protocol.validation_samples, 1000);
    EXPECT_EQ(protocol.learning_rate, 1e-4);
    EXPECT_EQ(protocol.weight_decay, 1e-4);
    EXPECT_EQ(protocol.betas[0], 0.9);
    EXPECT_EQ(protocol.betas[1], 0.999);
    EXPECT_EQ(protocol.schedule.factor, 0.1);
    EXPECT_EQ(protocol.schedule.patience, 10);
    EXPECT_EQ(protocol.schedule.threshold, 1e-4);
    EXPECT_EQ(protocol.early_stopping.patience, 20);
    EXPECT_EQ(protocol.early_stopping.min_delta, 1e-4);
    EXPECT_TRUE(protocol.bfloat16);
    EXPECT_EQ(protocol.selection, Selection::kLoss);
    EXPECT_EQ(protocol.model.temperature, 1.0);
    EXPECT_EQ(protocol.model.rho_unit, RhoUnit::kHalfDiagonal);
    EXPECT_TRUE(protocol.model.hold_across_seam);
    EXPECT_EQ(protocol.sigma_max, run.family == "rht-t3.0-clean" ? 0.0 : 0.5);
    const bool raw = run.family.find("-raw") != std::string::npos;
    EXPECT_EQ(protocol.model.scale, raw ? 1.0 : 1.0 / 64.0) << run.name;
  }
}

// Two methods are compared over the same seeds, scaled or not.
TEST(PaperSuite, EveryMethodHasFiveSeedsAndEveryRegionThree) {
  std::map<std::string, std::set<std::uint64_t>> seeds;
  for (const vsmax::Run& run : read_suite(kPaper, "").runs)
    if (run.training) seeds[run.family].insert(run.training->seed);
  const std::set<std::uint64_t> five{42, 43, 44, 45, 46};
  for (const char* family :
       {"mlp-polar", "mlp-vs", "softargmax-polar", "softargmax-vs", "vsmax-polar", "vsmax-vs",
        "rht-t3.0", "softargmax-polar-raw", "softargmax-vs-raw", "vsmax-polar-raw", "vsmax-vs-raw",
        "rht-t3.0-raw"})
    EXPECT_EQ(seeds.at(family), five) << family;
  for (const char* region : {"g1", "g2", "g3", "g4"})
    for (const std::string model : {"mlp-vs-", "vsmax-vs-"})
      EXPECT_EQ(seeds.at(model + region), (std::set<std::uint64_t>{42, 43, 44}));
}

TEST(PaperSuite, SmokeIsTheSameInSmall) {
  const Suite suite = read_suite(kPaper, "smoke");
  EXPECT_EQ(suite.runs.size(), 48U);  // two seeds of twenty families
  std::set<std::string> hashes;
  for (const vsmax::Run& run : suite.runs) {
    EXPECT_EQ(run.grid.frame().width, 16);
    EXPECT_EQ(run.sigmas, (std::vector<double>{0.0, 0.6}));
    hashes.insert(run.hash());
  }
  EXPECT_EQ(hashes.size(), suite.runs.size());
  EXPECT_EQ(run_of(suite, "rht-t3.0-clean-s42").training->sigma_max, 0.0);
}

TEST(RealSuite, TheCommittedRunsAreValidAndEverySeedIsTestedOnAnotherFold) {
  const Suite suite = read_suite(kRoot + "/suites/real.yaml", "");
  for (const auto& entry : fs::directory_iterator(kRoot + "/results/real/runs")) {
    const Json run = json_of(entry.path());
    EXPECT_EQ(run.at("hash"), run_of(suite, run.at("name")).hash()) << entry.path();
  }
  expect_same(suite.resolved, kRoot + "/results/real/suite.json");
  std::map<std::string, std::set<int>> folds;
  for (const vsmax::Run& run : suite.runs) {
    ASSERT_TRUE(run.photos) << run.name;
    folds[run.family].insert(run.training->photos.fold);
    const bool rows = run.family.starts_with("guide");
    EXPECT_EQ(run.photos->protocol, rows ? "guide" : "horizon");
    EXPECT_EQ(run.photos->rotations, rows ? 0 : 24);
    EXPECT_EQ(run.training->model.likelihood, run.family == "guide-vsmax-likelihood" ? 0.1 : 0.0);
  }
  EXPECT_EQ(folds.size(), 21U);
  for (const auto& [family, tested] : folds)
    EXPECT_EQ(tested, (std::set<int>{1, 2, 3, 4, 5})) << family;
}

TEST(ChoicesSuite, TheCommittedRunsAreValid) {
  const Suite suite = read_suite(kRoot + "/suites/choices.yaml", "");
  for (const auto& entry : fs::directory_iterator(kRoot + "/results/choices/runs")) {
    const Json run = json_of(entry.path());
    EXPECT_EQ(run.at("hash"), run_of(suite, run.at("name")).hash()) << entry.path();
  }
  expect_same(suite.resolved, kRoot + "/results/choices/suite.json");
}

class SuiteFile : public ::testing::Test {
 protected:
  Suite read(const std::string& text, const std::string& scale = "") {
    write_file_atomically(path_, text);
    return read_suite(path_, scale);
  }

  // The one sentence with which it is refused.
  std::string refusal(const std::string& text, const std::string& scale = "") {
    try {
      read(text, scale);
    } catch (const Error& error) {
      const std::string sentence = error.what();
      EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
      EXPECT_EQ(sentence.rfind(path_, 0), 0U) << sentence;
      return sentence;
    }
    ADD_FAILURE() << "was accepted:\n" << text;
    return "";
  }

  void expect_refusal(const std::string& text, const std::vector<std::string>& parts) {
    const std::string sentence = refusal(text);
    for (const auto& part : parts)
      EXPECT_NE(sentence.find(part), std::string::npos) << part << " in: " << sentence;
  }

  static std::string with_runs(const std::string& runs) {
    return "title: T\nevaluate: {sigmas: [0, 0.5]}\nruns:\n" + runs;
  }

  const std::string config_ = "config: " + kRoot + "/configs/tiny.yaml";
  ScratchFolder scratch_;
  std::string path_ = scratch_ / "own.yaml";
};

TEST_F(SuiteFile, ChangesApplyInOrder) {
  const Suite suite = read(
      "title: T\n"
      "evaluate: {sigmas: [0, 0.5], seed: 7}\n"
      "changes: {batch: 4, data: {sigma_max: 0.25}}\n"
      "scales: {full: {}, quick: {changes: {max_epochs: 1}, sigmas: [0.5], seeds: 2}}\n"
      "runs:\n"
      "  a: {" +
          config_ +
          ", seeds: [1, 2, 3], changes: {batch: 2, max_epochs: 9}}\n"
          "  b: {" +
          config_ +
          "}\n"
          "  p: {model: posterior, changes: {image: [20, 10]}}\n",
      "quick");
  std::vector<std::string> names;
  for (const vsmax::Run& run : suite.runs) names.push_back(run.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a-s1", "b-s42", "p", "a-s2"}));
  const TrainConfig& a = *run_of(suite, "a-s2").training;
  EXPECT_EQ(a.batch, 2);
  EXPECT_EQ(a.max_epochs, 1);
  EXPECT_EQ(a.sigma_max, 0.25);
  EXPECT_EQ(a.seed, 2U);
  EXPECT_EQ(a.model.frame->width, 32);
  EXPECT_EQ(run_of(suite, "b-s42").training->batch, 4);
  EXPECT_EQ(run_of(suite, "p").grid.frame().width, 20);
  EXPECT_EQ(run_of(suite, "p").sigmas, std::vector<double>{0.5});
  EXPECT_EQ(run_of(suite, "p").test_seed, 7U);
}

TEST_F(SuiteFile, AMapTakesTheKeysOfAnother) {
  const Suite suite =
      read(with_runs("  a: &a {" + config_ + ", seeds: [1], changes: {batch: 4}}\n" +
                     "  b: {<<: *a, seeds: [2]}\n"));
  EXPECT_EQ(run_of(suite, "b-s2").training->batch, 4);
  expect_refusal(with_runs("  a: {<<: 3}\n"), {"<<", "map"});
}

TEST_F(SuiteFile, PhotographsBelongToLearnedEvidence) {
  const std::string learned = "config: " + kRoot + "/configs/horizon.yaml";
  expect_refusal(with_runs("  a: {" + learned + "}\n"), {"runs.a", "photos"});
  expect_refusal(with_runs("  a: {" + config_ + ", photos: {folder: lake}}\n"),
                 {"runs.a", "photos"});
  expect_refusal(with_runs("  a: {" + learned + ", photos: {folder: ../lake}}\n"),
                 {"runs.a.photos.folder", "letters"});
  expect_refusal(
      with_runs("  a: {config: " + kRoot + "/configs/semantic.yaml, photos: {folder: lake}}\n"),
      {"runs.a", "several lines"});
  const Suite suite = read(
      with_runs("  a: {" + learned + ", seeds: [3, 5], photos: {folder: lake, rotations: 8}}\n"));
  EXPECT_EQ(run_of(suite, "a-s5").training->photos.fold, 2);
  EXPECT_EQ(run_of(suite, "a-s5").photos->rotations, 8);
}

TEST_F(SuiteFile, OnlyTheFirstSeedKeepsMaps) {
  const Suite suite = read(with_runs("  a: {" + config_ + ", seeds: [1, 2], maps: [0.5]}\n"));
  EXPECT_EQ(run_of(suite, "a-s1").map_sigmas, std::vector<double>{0.5});
  EXPECT_TRUE(run_of(suite, "a-s2").map_sigmas.empty());
}

TEST_F(SuiteFile, EverySeedKeepsMapsIfItWasTrainedOnAPartOfLineSpace) {
  const Suite suite = read(with_runs("  a: {" + config_ +
                                     ", seeds: [1, 2], maps: [0.5], changes: {data: {support: "
                                     "g1}}}\n"));
  EXPECT_EQ(run_of(suite, "a-s2").map_sigmas, std::vector<double>{0.5});
}

TEST_F(SuiteFile, AnItemNeedsTheRunsItRefersToAndTheCeiling) {
  const Suite suite = read(
      "title: T\nceiling: p\nevaluate: {sigmas: [0]}\n"
      "runs:\n"
      "  a: {" +
      config_ +
      ", seeds: [1, 2]}\n"
      "  b: {" +
      config_ +
      ", seeds: [1, 2]}\n"
      "  p: {model: posterior}\n"
      "items:\n"
      "  one: {kind: x, title: One, panels: [{curves: [{run: b-s2}]}]}\n"
      "  two: {kind: x, title: Two, groups: [{seeds: a}], runs: [b]}\n");
  const auto names = [&](const std::vector<std::string>& items) {
    std::vector<std::string> list;
    for (const vsmax::Run& run : runs_of(suite, items)) list.push_back(run.name);
    return list;
  };
  EXPECT_EQ(names({"one"}), (std::vector<std::string>{"p", "b-s2"}));
  EXPECT_EQ(names({"two"}), (std::vector<std::string>{"a-s1", "b-s1", "p", "a-s2"}));
  EXPECT_EQ(names({}).size(), 5U);
  EXPECT_EQ(suite.resolved["items"]["one"]["panels"][0]["curves"][0]["run"], "b-s2");
  EXPECT_EQ(suite.resolved["runs"]["a"]["runs"][1]["hash"], run_of(suite, "a-s2").hash());
  EXPECT_THROW(runs_of(suite, {"three"}), Error);
}

TEST_F(SuiteFile, AMistakeIsOneSentenceWithPlaceAndValue) {
  expect_refusal("title: T\nrun: 3\n", {"unknown key 'run' (= 3)", "evaluate"});
  expect_refusal("title: [\n", {"line 2", "YAML"});
  expect_refusal("title: T\nevaluate: {sigmas: [0, x]}\nruns: {}\n",
                 {"evaluate.sigmas", "holds \"x\""});
  expect_refusal("title: T\nruns: {p: {model: posterior}}\n", {"evaluate.sigmas is missing"});
  expect_refusal(with_runs("  a: {seeds: [1]}\n"), {"runs.a", "config"});
  expect_refusal(with_runs("  a: {model: maximum}\n"), {"runs.a.model", "argmax", "maximum"});
  expect_refusal(with_runs("  a: {model: argmax, seeds: 1}\n"), {"runs.a.seeds", "trained"});
  expect_refusal(with_runs("  a: {" + config_ + ", test: {width: 3}}\n"),
                 {"runs.a.test", "built-in"});
  expect_refusal(with_runs("  a: {model: default, test: {width: 0}}\n"),
                 {"runs.a.test.width", "positive", "0"});
  expect_refusal(with_runs("  a: {model: default, test: {visible: 2}}\n"),
                 {"runs.a.test.visible", "at most 1, but is 2"});
  expect_refusal(with_runs("  a: {model: default, test: {sample: [1, 2]}}\n"),
                 {"runs.a.test.sample", "[1,2]"});
  expect_refusal(with_runs("  a: {model: default, test: {lines: some}}\n"),
                 {"runs.a.test.lines", "some"});
  expect_refusal(with_runs("  a: {model: default, test: {dark: 1}}\n"),
                 {"runs.a.test.dark", "true or false"});
  expect_refusal(with_runs("  a/b: {model: argmax}\n"), {"runs.a/b", "letters"});
  expect_refusal(with_runs("  a: {model: argmax}\n  a: {model: argmax}\n"), {"line 5", "repeated"});
  expect_refusal(with_runs("  a: {" + config_ + ", changes: {bach: 3}}\n"),
                 {"runs.a", "'bach' (= 3)"});
  expect_refusal(with_runs("  a: {" + config_ + ", changes: {batch: 0}}\n"),
                 {"runs.a", "batch", "0"});
  expect_refusal(with_runs("  a: {" + config_ + ", seeds: [1, -2]}\n"), {"runs.a.seeds", "-2"});
  expect_refusal(with_runs("  a: {" + config_ + ", maps: [0.3]}\n"), {"runs.a.maps", "0.3"});
  expect_refusal(with_runs("  a: {" + config_ + "}\n  a-s42: {model: argmax}\n"), {"'a-s42'"});
  expect_refusal(with_runs("  a: {model: argmax, published: 3}\n"), {"runs.a.published", "3"});
  expect_refusal(with_runs("  a: {model: argmax}\nscales: {}\n"), {"scales", "at least one"});
  const std::string good = with_runs("  a: {model: argmax}\n");
  expect_refusal(good + "ceiling: p\n", {"ceiling", "'p'", "a"});
  expect_refusal(good + "items: {i: {kind: x, title: I, runs: [a, q]}}\n", {"items.i.runs", "'q'"});
  expect_refusal(good + "items: {i: {kind: x, title: I}}\n", {"items.i", "no run"});
  expect_refusal(good + "items: {i: {title: I, run: a}}\n", {"items.i.kind is missing"});
  EXPECT_NE(refusal(good, "half").find("'half'; the scales are full"), std::string::npos);
}

TEST_F(SuiteFile, AnItemShowsWhatSomeScaleEvaluates) {
  const std::string good =
      with_runs("  a: {model: argmax}\n") +
      "scales: {full: {}, quick: {sigmas: [0.25]}}\nitems: {i: {kind: x, title: I, runs: [a], ";
  EXPECT_EQ(read(good + "sigma: 0.5}}\n", "quick").resolved["sigmas"], (Json{0.0, 0.25, 0.5}));
  read(good + "columns: [{sigma: 0}, {sigma: 0.25}]}}\n");
  expect_refusal(good + "sigma: 0.4}}\n", {"items.i.sigma", "0.4", "0, 0.25, 0.5"});
  expect_refusal(good + "sigma: low}}\n", {"items.i.sigma", "\"low\""});
  expect_refusal(good + "columns: [{sigma: 0}, {sigma: 5}]}}\n", {"items.i.columns.sigma", "5"});
}

TEST_F(SuiteFile, PublishedNumbersBelongToSigmasAndSetsOfLines) {
  const auto published = [](const std::string& numbers) {
    return with_runs("  a: {model: argmax, published: {" + numbers + "}}\n");
  };
  read(published("0.5: {all: 0.9 ± 0.1, seam: 0.8, in: 1, out: ≈ 0.1}, parameters: 3, lines: 7"));
  read(published(".50: {interior: 0.9}"));
  expect_refusal(published("0.5: {foo: 1}"), {"runs.a.published.0.5", "'foo' (= 1)", "interior"});
  expect_refusal(published("0.5: 0.9"), {"runs.a.published.0.5", "keys", "0.9"});
  expect_refusal(published("0.5: {all: [1]}"), {"runs.a.published.0.5.all", "[1]"});
  expect_refusal(published("0.4: {all: 1}"), {"runs.a.published", "'0.4'", "0, 0.5"});
  expect_refusal(published("parameter: 3"), {"runs.a.published", "'parameter' (= 3)"});
  expect_refusal(published("parameters: {all: 1}"), {"runs.a.published.parameters", "{"});
}

TEST_F(SuiteFile, ABuiltInModelCanBeTestedOnOtherLines) {
  const Suite suite =
      read(with_runs("  plain: {model: default}\n"
                     "  usual: {model: default, test: {lines: grid, width: 1}}\n"
                     "  other: {model: default, test: {lines: continuous, width: 3, visible: 0.5, "
                     "dark: true, sample: 7}}\n"));
  const LineTest& test = run_of(suite, "other").test;
  EXPECT_TRUE(test.continuous && test.stroke.dark);
  EXPECT_EQ(test.stroke.width, 3.0);
  EXPECT_EQ(test.stroke.visible, 0.5);
  EXPECT_EQ(test.sample, 7U);
  EXPECT_EQ(run_of(suite, "plain").hash(), run_of(suite, "usual").hash());
  EXPECT_NE(run_of(suite, "plain").hash(), run_of(suite, "other").hash());
}

TEST_F(SuiteFile, AMissingConfigurationIsNamed) {
  try {
    read(with_runs("  a: {config: no.yaml}\n"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no.yaml"), std::string::npos);
  }
}

TEST_F(SuiteFile, AFolderBelongsToOneSuiteAndScale) {
  const std::string text = "scales: {full: {}, quick: {}}\n" + with_runs("  a: {model: argmax}\n");
  const std::string folder = scratch_ / "out";
  open_results_folder(read(text), folder);
  open_results_folder(read(text), folder);
  EXPECT_EQ(json_of(folder + "/suite.json")["scale"], "full");
  EXPECT_THROW(open_results_folder(read(text, "quick"), folder), Error);
  path_ = scratch_ / "other.yaml";
  EXPECT_THROW(open_results_folder(read(text), folder), Error);
  EXPECT_EQ(json_of(folder + "/suite.json")["suite"], "own");
}

}  // namespace
}  // namespace vsmax
