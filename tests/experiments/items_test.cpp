// SPDX-License-Identifier: Apache-2.0
// What the items say of runs whose scores are known.
#include <gtest/gtest.h>

#include "torch/train/scratch_folder.h"
#include "vsmax/base/error.h"
#include "vsmax/experiments/item.h"

namespace vsmax {
namespace {

using testing::ScratchFolder;

Json summary(double mean) { return {{"mean", mean}, {"deviation", 0.1}, {"count", 10}}; }

// Every line of a map scores `inside` for theta < pi/2, and 0 elsewhere.
Json result_of(const vsmax::Run& run, double mean, double inside) {
  Json entries = Json::array();
  for (const double sigma : run.sigmas)
    entries.push_back({{"sigma", sigma},
                       {"all", summary(mean)},
                       {"seam", summary(mean + 0.01)},
                       {"interior", summary(mean - 0.01 * sigma)}});
  Json maps = Json::array();
  for (const double sigma : run.map_sigmas) {
    Json cells(static_cast<std::size_t>(run.grid.thetas()),
               Json(static_cast<std::size_t>(run.grid.rhos()), nullptr));
    for (const Cell cell : run.grid.resolvable_cells())
      cells[static_cast<std::size_t>(cell.t)][static_cast<std::size_t>(cell.r)] =
          2 * cell.t < run.grid.thetas() ? inside : 0.0;
    maps.push_back({{"sigma", sigma}, {"cells", cells}});
  }
  return {{"hash", run.hash()}, {"evaluation", {{"results", entries}}}, {"maps", maps}};
}

class Items : public ::testing::Test {
 protected:
  void finish(const vsmax::Run& run, double mean, double inside = 0.5) {
    results_.save(run, result_of(run, mean, inside));
  }

  ScratchFolder scratch_;
  Scale scale_ = scale_by_name("smoke");
  RunResults results_{scratch_ / "runs"};
};

TEST_F(Items, SayWhatIsMissing) {
  finish(trained_run(scale_, "vsmax-vs"), 0.9);
  const Json item = item_json(fig_boundary(), scale_, results_);
  EXPECT_EQ(item["item"], "fig-boundary");
  EXPECT_FALSE(item["complete"].get<bool>());
  EXPECT_EQ(item["missing"], Json({"softargmax-vs-s42", "posterior"}));
  finish(trained_run(scale_, "softargmax-vs"), 0.8);
  finish(posterior_run(scale_), 1.0);
  EXPECT_TRUE(item_json(fig_boundary(), scale_, results_)["complete"].get<bool>());
}

TEST_F(Items, TheMainTableSetsOursBesideThePapers) {
  finish(trained_run(scale_, "vsmax-vs"), 0.9);
  finish(trained_run(scale_, "vsmax-vs", 43), 0.8);
  finish(posterior_run(scale_), 0.99);
  const Json item = item_json(table_main(), scale_, results_);
  ASSERT_EQ(item["rows"].size(), 6U);
  const Json& row = item["rows"][5];
  EXPECT_EQ(row["method"], "VSmax + L_vs");
  EXPECT_EQ(row["paper"]["seam"], 0.918);
  EXPECT_EQ(row["paper_deviation"]["seam"], 0.177);
  EXPECT_EQ(row["ours"]["all"]["mean"], 0.9);
  ASSERT_EQ(row["seeds"].size(), 2U);
  EXPECT_EQ(row["seeds"][1]["seed"], 43);
  EXPECT_EQ(row["seeds"][1]["all"], 0.8);
  EXPECT_TRUE(item["rows"][0]["ours"].is_null());
  EXPECT_EQ(item["ceiling"]["all"]["mean"], 0.99);
}

TEST_F(Items, CurvesRunOverTheNoise) {
  finish(trained_run(scale_, "vsmax-polar"), 0.7);
  const Json noise = item_json(fig_noise(), scale_, results_);
  const Json& curve = noise["panels"][2]["curves"][1];
  EXPECT_EQ(curve["label"], "L_polar");
  EXPECT_EQ(curve["sigma"], Json(scale_.sigmas));
  EXPECT_DOUBLE_EQ(curve["mean"][1].get<double>(), 0.7 - 0.006);  // the interior
  EXPECT_TRUE(noise["panels"][0]["curves"][0]["sigma"].empty());

  finish(argmax_run(scale_), 0.4);
  const Json end_to_end = item_json(fig_end_to_end(), scale_, results_);
  EXPECT_EQ(end_to_end["curves"][1]["label"], "HT+argmax");
  EXPECT_EQ(end_to_end["curves"][1]["mean"], Json({0.4, 0.4}));
}

TEST_F(Items, GeneralisationIsSplitByTheRegion) {
  finish(support_run(scale_, "mlp-vs", Support::kG1), 0.5, 0.75);
  finish(support_run(scale_, "vsmax-vs", Support::kG2), 0.5, 1.0);
  const Json table = item_json(table_generalisation(), scale_, results_);
  ASSERT_EQ(table["rows"].size(), 8U);
  EXPECT_EQ(table["rows"][0]["ours"]["in"]["mean"], 0.75);
  EXPECT_EQ(table["rows"][0]["ours"]["out"]["mean"], 0.0);
  EXPECT_EQ(table["rows"][3]["setting"], "g2");
  EXPECT_EQ(table["rows"][3]["method"], "operator");
  // Theta and the sign of rho are independent of one another: half of g2 lies in g1.
  EXPECT_NEAR(table["rows"][3]["ours"]["in"]["mean"].get<double>(), 0.5, 0.05);
  EXPECT_TRUE(table["rows"][1]["ours"].is_null());
  EXPECT_TRUE(table["ceiling"].is_null());

  const Json figure = item_json(fig_generalisation(), scale_, results_);
  const auto lines = scale_.protocol.grid().resolvable_cells().size();
  std::size_t marked = 0;
  for (const Json& row : figure["support"][0])
    for (const Json& cell : row) marked += cell.is_number() ? 1U : 0U;
  EXPECT_EQ(marked, lines);
}

TEST_F(Items, AChangedChoiceIsARunOfItsOwn) {
  finish(trained_run(scale_, "vsmax-vs"), 0.9);
  const Json item = item_json(table_choices(), scale_, results_);
  const Json& row = item["rows"][1];
  EXPECT_EQ(row["method"], "VSmax + L_vs");
  EXPECT_EQ(row["usual"]["all"]["mean"], Json({0.9, 0.9}));
  EXPECT_EQ(row["changed"]["run"], "vsmax-vs-raw-s42");
  EXPECT_TRUE(row["changed"]["all"]["mean"].empty());
  EXPECT_TRUE(row["seeds"].empty());
  for (const vsmax::Run& run : table_choices().runs(scale_))
    if (run.name == "vsmax-vs-raw-s42") {
      EXPECT_EQ(run.training->scale, 1.0);
      EXPECT_NE(run.hash(), trained_run(scale_, "vsmax-vs").hash());
    }
}

TEST_F(Items, AnUnknownOneIsAnErrorThatListsThem) {
  try {
    item_by_name("table-2");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'table-2'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("fig-rht-sweep"), std::string::npos);
  }
}

}  // namespace
}  // namespace vsmax
