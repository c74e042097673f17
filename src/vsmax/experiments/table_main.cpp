// SPDX-License-Identifier: Apache-2.0
// The paper's Table 1: readouts and losses at a noise beyond that of the training.
#include <array>

#include "vsmax/experiments/item.h"

namespace vsmax {

namespace {

struct Row {
  const char* method;
  const char* model;
  double all, seam, interior;  // the paper's figures
  bool all_seeds;
};

constexpr std::array<Row, 6> kRows{{
    {"MLP + L_polar", "mlp-polar", 0.719, 0.561, 0.730, false},
    {"MLP + L_vs", "mlp-vs", 0.763, 0.720, 0.766, false},
    {"soft-argmax + L_polar", "softargmax-polar", 0.659, 0.627, 0.662, false},
    {"soft-argmax + L_vs", "softargmax-vs", 0.717, 0.692, 0.719, true},
    {"VSmax + L_polar", "vsmax-polar", 0.692, 0.806, 0.684, false},
    {"VSmax + L_vs", "vsmax-vs", 0.878, 0.918, 0.875, true},
}};

std::vector<Run> runs(const Scale& scale) {
  std::vector<Run> list{posterior_run(scale)};
  for (const auto seed : scale.seeds)
    for (const Row& row : kRows)
      if (row.all_seeds) list.push_back(trained_run(scale, row.model, seed));
  for (const Row& row : kRows)
    if (!row.all_seeds) list.push_back(trained_run(scale, row.model));
  return list;
}

Json seeds_of(const Row& row, const Scale& scale, const RunResults& results) {
  Json seeds = Json::array();
  for (const auto seed : scale.seeds) {
    const Run run = trained_run(scale, row.model, seed);
    const Json scores = results.scores_at(run, kTestSigma);
    if (scores.is_null()) continue;
    seeds.push_back({{"seed", seed},
                     {"run", run.name},
                     {"all", scores["all"]["mean"]},
                     {"seam", scores["seam"]["mean"]},
                     {"interior", scores["interior"]["mean"]}});
  }
  return seeds;
}

Json content(const Scale& scale, const RunResults& results) {
  Json rows = Json::array();
  for (const Row& row : kRows) {
    const Run run = trained_run(scale, row.model);
    rows.push_back({{"method", row.method},
                    {"run", run.name},
                    {"ours", results.scores_at(run, kTestSigma)},
                    {"paper", {{"all", row.all}, {"seam", row.seam}, {"interior", row.interior}}}});
    if (row.all_seeds) rows.back()["seeds"] = seeds_of(row, scale, results);
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
