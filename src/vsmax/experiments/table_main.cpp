// SPDX-License-Identifier: Apache-2.0
// The paper's Table 1: readouts and losses at a noise beyond that of the training.
#include <array>

#include "vsmax/experiments/item.h"

namespace vsmax {

namespace {

struct Figures {
  double all, seam, interior;
};

struct Row {
  const char* method;
  const char* model;
  Figures mean, deviation;  // the paper's, over the lines
  bool all_seeds;
};

constexpr std::array<Row, 6> kRows{{
    {"MLP + L_polar", "mlp-polar", {0.719, 0.561, 0.730}, {0.268, 0.297, 0.263}, false},
    {"MLP + L_vs", "mlp-vs", {0.763, 0.720, 0.766}, {0.294, 0.293, 0.294}, false},
    {"soft-argmax + L_polar",
     "softargmax-polar",
     {0.659, 0.627, 0.662},
     {0.314, 0.351, 0.311},
     false},
    {"soft-argmax + L_vs", "softargmax-vs", {0.717, 0.692, 0.719}, {0.298, 0.339, 0.295}, true},
    {"VSmax + L_polar", "vsmax-polar", {0.692, 0.806, 0.684}, {0.295, 0.237, 0.297}, false},
    {"VSmax + L_vs", "vsmax-vs", {0.878, 0.918, 0.875}, {0.233, 0.177, 0.237}, true},
}};

Json json_of(const Figures& figures) {
  return {{"all", figures.all}, {"seam", figures.seam}, {"interior", figures.interior}};
}

std::vector<Run> runs(const Scale& scale) {
  std::vector<Run> list{posterior_run(scale)};
  for (const auto seed : scale.seeds)
    for (const Row& row : kRows)
      if (row.all_seeds) list.push_back(trained_run(scale, row.model, seed));
  for (const Row& row : kRows)
    if (!row.all_seeds) list.push_back(trained_run(scale, row.model));
  return list;
}

std::vector<Run> runs_of_seeds(const Row& row, const Scale& scale) {
  std::vector<Run> list;
  for (const auto seed : scale.seeds) list.push_back(trained_run(scale, row.model, seed));
  return list;
}

Json content(const Scale& scale, const RunResults& results) {
  Json rows = Json::array();
  for (const Row& row : kRows) {
    const Run run = trained_run(scale, row.model);
    rows.push_back({{"method", row.method},
                    {"run", run.name},
                    {"ours", results.scores_at(run, kTestSigma)},
                    {"paper", json_of(row.mean)},
                    {"paper_deviation", json_of(row.deviation)}});
    if (row.all_seeds)
      rows.back()["seeds"] = results.means_at(runs_of_seeds(row, scale), kTestSigma);
  }
  return {{"sigma", kTestSigma},
          {"rows", rows},
          {"ceiling", results.scores_at(posterior_run(scale), kTestSigma)}};
}

}  // namespace

Item table_main() {
  return {"table-main", "EA at sigma 0.6: all lines, at the seam, in the interior", runs, content};
}

}  // namespace vsmax
